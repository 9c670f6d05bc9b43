#include "command/session.h"
#include "command/verbs.h"
#include "inspect/needed.h"
#include "report/report.h"
#include "values/files.h"

namespace linnet::tool {

ExitCode ops_verb(const Options& options) {
  if (!options.needed.empty()) {
    write_text("-", needed_lines(options));
    return ExitCode::kOk;
  }
  std::string text;
  Json json = Json::array();
  const std::vector<Registry::Entry> entries = make_registry(options.model).entries();
  for (const Registry::Entry& entry : entries) {
    const std::string domain = entry.domain.empty() ? "ai.onnx" : entry.domain;
    std::string versions;
    for (const int64_t since : entry.since) versions += str(versions.empty() ? "" : ",", since);
    text += format("%-20s %-32s since %s\n", domain.c_str(), entry.op_type.c_str(), versions.c_str());
    json.push_back({{"domain", domain}, {"name", entry.op_type}, {"since", entry.since}});
  }
  report(text + format("%zu operators\n", entries.size()), json, options.json);
  return ExitCode::kOk;
}

}  // namespace linnet::tool
