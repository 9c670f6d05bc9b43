#include <torch/csrc/jit/serialization/import.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "check.h"
#include "torchscript/examples.h"
#include "exporter/export_error.h"
#include "exporter/rules/rule_list.h"
#include "exporter/writer.h"
#include "inputs.h"
#include "libraries.h"
#include "linnet_torch_ops.h"
#include "options.h"

namespace linnet::exporter {
namespace {

torch::jit::Module load_module(const Options& options) {
  for (const std::string& path : options.operator_libraries) load_operators(path);
  linnet_torch_register_deform_conv2d();
  if (!std::ifstream(options.model)) throw Failure(ExitCode::kLoad, options.model + ": it cannot be read");
  try {
    torch::jit::Module module = torch::jit::load(options.model);
    module.eval();
    return module;
  } catch (const c10::Error& error) {
    throw Failure(ExitCode::kLoad, options.model + ": " + error.what_without_backtrace());
  }
}

int list_operators(const Lowerings& lowerings) {
  for (const auto& [name, rule] : lowerings.all()) std::printf("%s\n", name.c_str());
  return int(ExitCode::kOk);
}

int run(const Options& options) {
  Lowerings lowerings = standard_lowerings();
  for (const std::string& path : options.lowering_libraries) load_lowerings(path, lowerings);
  if (options.list_operators) return list_operators(lowerings);
  const torch::jit::Module module = load_module(options);
  using namespace torchscript;  // NOLINT: the front that this program is of
  const ExampleInputs inputs(module, options.inputs, options.dynamic);
  at::manual_seed(options.seed);
  const auto arguments = [&](const std::vector<Example>& examples) { return inputs.arguments(examples); };
  const Trace trace = trace_examples(module, inputs.sizes(), arguments, lowerings, options.form);
  write_onnx(trace.graph, options.form, options.output, options.external_data);
  std::printf("%s  %zu nodes, opset %lld\n", options.output.c_str(), trace.graph.nodes.size(),
              static_cast<long long>(options.form.opset));
  return options.check ? int(check_export(module, inputs, lowerings, options)) : int(ExitCode::kOk);
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
  } catch (const c10::Error& error) {
    return fail(ExitCode::kExport, error.what_without_backtrace());
  } catch (const std::exception& error) {
    return fail(ExitCode::kExport, error.what());
  }
}

}  // namespace
}  // namespace linnet::exporter

int main(int argc, char** argv) { return linnet::exporter::main_of(argc, argv); }
