#include <algorithm>
#include <cstdio>

#include "export_pt2.h"
#ifdef LINNET_HAS_LIBTORCH
#include "export_torchscript.h"
#endif
#include "exporter/export_error.h"
#include "exporter/rules/rule_list.h"
#include "libraries.h"
#include "options.h"

namespace linnet::exporter {
namespace {

int list_operators(const Lowerings& lowerings) {
  for (const auto& [name, rule] : lowerings.all()) std::printf("%s\n", name.c_str());
  return int(ExitCode::kOk);
}

/// What is no program of torch.export is left to LibTorch, where it is there.
ExitCode export_file(const Options& options, const Lowerings& lowerings) {
#ifdef LINNET_HAS_LIBTORCH
  if (!is_pt2(options.model)) return export_torchscript(options, lowerings);
#endif
  return export_pt2(options, lowerings);
}

/// With the oldest opset that has what the model needs, where none is asked for.
ExitCode export_in_some_opset(Options options, const Lowerings& lowerings) {
  for (;;) {
    try {
      return export_file(options, lowerings);
    } catch (const NeedsOpset& needed) {
      if (options.is_opset_given) throw;
      options.form.opset = needed.opset();
    }
  }
}

int run(const Options& options) {
  Lowerings lowerings = standard_lowerings();
  for (const std::string& path : options.lowering_libraries) load_lowerings(path, lowerings);
  return options.list_operators ? list_operators(lowerings) : int(export_in_some_opset(options, lowerings));
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
