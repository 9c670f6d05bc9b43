#include "export_torchscript.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/serialization/import.h>

#include <cstdio>

#include "check.h"
#include "inputs.h"
#include "libraries.h"
#include "linnet_torch_ops.h"
#include "output.h"
#include "torchscript/examples.h"

namespace linnet::exporter {
namespace {

torch::jit::Module load_module(const Options& options) {
  for (const std::string& path : options.operator_libraries) load_operators(path);
  linnet_torch_register_deform_conv2d();
  try {
    torch::jit::Module module = torch::jit::load(options.model);
    module.eval();
    return module;
  } catch (const c10::Error& error) {
    throw Failure(ExitCode::kLoad, options.model + ": " + error.what_without_backtrace());
  }
}

ExitCode export_module(const Options& options, const Lowerings& lowerings) {
  using namespace torchscript;  // NOLINT: this file belongs to that frontend
  const torch::jit::Module module = load_module(options);
  const ExampleInputs inputs(module, options.inputs, options.dynamic);
  at::manual_seed(options.seed);
  const auto arguments = [&](const std::vector<Example>& examples) { return inputs.arguments(examples); };
  const Trace trace = trace_examples(module, inputs.sizes(), arguments, lowerings, options.form);
  write_output(trace.graph, options);
  return options.check ? check_export(module, inputs, lowerings, options) : ExitCode::kOk;
}

}  // namespace

ExitCode export_torchscript(const Options& options, const Lowerings& lowerings) {
  try {
    return export_module(options, lowerings);
  } catch (const c10::Error& error) {
    throw Failure(ExitCode::kExport, error.what_without_backtrace());
  }
}

}  // namespace linnet::exporter
