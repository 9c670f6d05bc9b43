#include <algorithm>
#include <cstdio>
#include <set>

#include "export_pt2.h"
#ifdef LINNET_HAS_LIBTORCH
#include "export_torchscript.h"
#endif
#include "exporter/functions.h"
#include "exporter/needed_opset.h"
#include "exporter/rules/rule_list.h"
#include "libraries.h"
#include "options.h"

namespace linnet::exporter {
namespace {

/// Prints the operators. The name of a rule for complex numbers is "complex " followed by the operator.
int list_operators(const Lowerings& lowerings) {
  std::set<std::string> names;
  for (const auto& [name, rule] : lowerings.all()) names.insert(name.substr(name.rfind(' ') + 1));
  for (const std::string& name : names) std::printf("%s\n", name.c_str());
  return int(ExitCode::kOk);
}

/// Exports a file. In builds with LibTorch, files that are not of torch.export are TorchScript.
ExitCode export_file(const Options& options, const Lowerings& lowerings) {
#ifdef LINNET_HAS_LIBTORCH
  if (!is_pt2(options.model)) return export_torchscript(options, lowerings);
#endif
  return export_pt2(options, lowerings);
}

/// Parses OPERATOR=DOMAIN::NAME and adds the rule.
void add_function_call(const std::string& flag, Lowerings& lowerings) {
  const size_t equals = flag.find('='), colons = flag.find("::", equals);
  if (equals == std::string::npos || colons == std::string::npos) {
    throw Failure(ExitCode::kUsage, "--call " + flag + ": it must be OPERATOR=DOMAIN::NAME");
  }
  lowerings.add(flag.substr(0, equals),
                call_of_function({flag.substr(equals + 1, colons - equals - 1), flag.substr(colons + 2)}));
}

int run(Options options) {
  Lowerings lowerings = standard_lowerings();
  for (const std::string& path : options.lowering_libraries) load_lowerings(path, lowerings);
  for (const std::string& flag : options.function_calls) add_function_call(flag, lowerings);
  return options.list_operators ? list_operators(lowerings)
                                : int(with_needed_opset(options.form, !options.is_opset_given,
                                                        [&] { return export_file(options, lowerings); }));
}

int fail(ExitCode code, std::string message) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  std::fflush(stdout);
  std::fprintf(stderr, "export_model: %s\n", message.c_str());
  return int(code);
}

int main_of(int argc, char** argv) {
  try {
    Options options;
    return parse_options(argc, argv, options) ? run(options) : int(ExitCode::kOk);
  } catch (const Failure& failure) {
    return fail(failure.code(), failure.what());
  } catch (const std::exception& error) {
    return fail(ExitCode::kExport, error.what());
  }
}

}  // namespace
}  // namespace linnet::exporter

int main(int argc, char** argv) { return linnet::exporter::main_of(argc, argv); }
