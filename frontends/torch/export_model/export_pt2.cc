#include "export_pt2.h"

#include <algorithm>
#include <cstdio>
#include <span>

#include "comparison.h"
#include "exporter/export_error.h"
#include "linnet/onnx.h"
#include "naming.h"
#include "onnx/file.h"
#include "output.h"
#include "pt2/archive.h"
#include "pt2/samples.h"
#include "pt2/to_onnx.h"

namespace linnet::exporter {
namespace {

/// Refuses flags that describe inputs, because a .pt2 file describes its inputs itself.
void check_flags(const Options& options) {
  const auto refuse = [](const std::string& flag) {
    throw Failure(ExitCode::kUsage, flag + " is for TorchScript files; a .pt2 file contains its inputs");
  };
  if (!options.inputs.empty()) refuse("--input");
  if (!options.dynamic.empty()) refuse("--dynamic");
  if (!options.operator_libraries.empty()) refuse("--load-library");
}

/// Returns the first difference from a sample, or an empty text. `largest` becomes the maximum over all outputs.
std::string difference_from(const pt2::Sample& sample, const Model& model, const Options& options, double& largest) {
  Context context(model);
  const std::span<const Tensor> got = context.run(sample.inputs);
  // The program's outputs are followed by those of the buffers that it changes.
  if (got.size() < sample.outputs.size()) {
    return text_of("the file has ", got.size(), " outputs, the sample ", sample.outputs.size());
  }
  for (size_t i = 0; i < sample.outputs.size(); ++i) {
    const Comparison comparison = compare(got[i], sample.outputs[i], options, 0);
    largest = std::max(largest, comparison.largest);
    if (!comparison.problem.empty()) return text_of("output '", model.outputs()[i].name, "': ", comparison.problem);
  }
  return "";
}

ExitCode check_samples(const pt2::Archive& archive, const Options& options) {
  const std::vector<pt2::Sample> samples = pt2::read_samples(archive);
  if (samples.empty()) {
    throw Failure(ExitCode::kUsage, options.model + ": it has no samples to check; linnet_torch.save_pt2 writes them");
  }
  ModelOptions model_options;
  model_options.overridable_initializers = true;  // for the samples' states
  const Model model = load_onnx(options.output, model_options);
  double largest = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    const std::string problem = difference_from(samples[i], model, options, largest);
    if (!problem.empty()) {
      throw Failure(ExitCode::kDifference, text_of(options.output, ": sample ", i, ", ", problem));
    }
  }
  std::printf("check  %zu samples agree with PyTorch, largest difference %.3g\n", samples.size(), largest);
  return ExitCode::kOk;
}

}  // namespace

bool is_pt2(const std::string& path) {
  try {
    return pt2::is_archive_of_export(File(path));
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kIo) throw Failure(ExitCode::kLoad, error.what());
    return false;
  }
}

ExitCode export_pt2(const Options& options, const Lowerings& lowerings) {
  check_flags(options);
  try {
    const pt2::Archive archive = pt2::Archive::open(options.model);
    OnnxGraph graph = pt2::to_onnx(archive, lowerings, options.form);
    apply_naming(graph, options);
    write_output(graph, options);
    return options.check ? check_samples(archive, options) : ExitCode::kOk;
  } catch (const Error& error) {
    throw Failure(ExitCode::kLoad, options.model + ": " + error.what());
  }
}

}  // namespace linnet::exporter
