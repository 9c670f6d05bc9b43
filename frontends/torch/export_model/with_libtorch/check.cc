#include "check.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/passes/tensorexpr_fuser.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "export_model/comparison.h"
#include "exporter/writer.h"
#include "linnet/onnx.h"
#include "ties.h"

namespace linnet::exporter::torchscript {
namespace {

using Json = nlohmann::ordered_json;

/// The largest accepted difference, in multiples of PyTorch's own rounding error.
constexpr double kRoundingErrors = 4;

/// One set of inputs to try.
struct Sample {
  std::string name;
  Fill fill;
  Sizes sizes;
};

std::vector<Sample> samples_of(const ExampleInputs& inputs, int random) {
  std::vector<Sample> samples;
  for (int i = 0; i < random; ++i) {
    samples.push_back(
        {text_of("random ", i), Fill::kRandom, i % 2 == 0 ? inputs.sizes() : other_sizes(inputs.sizes())});
  }
  if (!inputs.has_floats()) return samples;
  samples.push_back({"zeros", Fill::kZeros, inputs.sizes()});
  samples.push_back({"negative", Fill::kNegative, inputs.sizes()});
  samples.push_back({"large", Fill::kLarge, inputs.sizes()});
  return samples;
}

void flatten(const c10::IValue& value, std::vector<at::Tensor>& tensors) {
  if (value.isTensor()) {
    tensors.push_back(value.toTensor());
  } else if (value.isTuple()) {
    for (const c10::IValue& element : value.toTupleRef().elements()) flatten(element, tensors);
  } else if (value.isList()) {
    for (const c10::IValue& element : value.toListRef()) flatten(element, tensors);
  } else if (value.isGenericDict()) {
    for (const auto& entry : value.toGenericDict()) flatten(entry.value(), tensors);
  } else if (!value.isNone()) {
    tensors.push_back(at::scalar_to_tensor(value.toScalar()).to(scalar_type_of(dtype_of(value))));
  }
}

c10::IValue to_double(const c10::IValue& value) {
  if (value.isTensor()) {
    const at::Tensor& tensor = value.toTensor();
    return tensor.is_floating_point() ? tensor.to(at::kDouble) : tensor;
  }
  if (!value.isTensorList()) return value;
  c10::List<at::Tensor> list;
  for (const c10::IValue& tensor : value.toListRef()) list.push_back(to_double(tensor).toTensor());
  return list;
}

std::vector<at::Tensor> run_torch(torch::jit::Module module, const std::vector<ExampleArgument>& arguments,
                                  bool in_double = false) {
  const at::NoGradGuard no_gradients;
  torch::jit::setTensorExprFuserEnabled(false);  // the fuser of Debian 13's LibTorch never ends on some graphs
  const auto& schema = module.get_method("forward").function().getSchema();
  std::vector<c10::IValue> values;
  for (size_t i = 0; i < arguments.size(); ++i) {
    values.push_back(to_ivalue(arguments[i].value, schema.arguments()[i + 1].type(), 0).deepcopy());
    if (in_double) values.back() = to_double(values.back());
  }
  std::vector<at::Tensor> tensors;
  flatten(module.forward(values), tensors);
  return tensors;
}

double magnitude(const at::Tensor& tensor) {
  if (tensor.numel() == 0 || !tensor.is_floating_point()) return 0;
  return tensor.abs().nan_to_num(0, 0).max().item<double>();
}

/// Returns how far rounding may move PyTorch's own results: one unit in the last place of the largest element and, if
/// the model runs in float64, at least the difference from those results.
std::vector<double> rounding_errors(const torch::jit::Module& module, const std::vector<ExampleArgument>& arguments,
                                    const std::vector<at::Tensor>& results) {
  std::vector<double> errors;
  for (const at::Tensor& result : results) {
    errors.push_back(result.scalar_type() == at::kDouble ? 0
                                                         : std::numeric_limits<float>::epsilon() * magnitude(result));
  }
  try {
    torch::jit::Module exact = module.deepcopy();
    exact.to(at::kDouble);
    const std::vector<at::Tensor> precise = run_torch(exact, arguments, true);
    for (size_t i = 0; i < results.size(); ++i) {
      errors[i] = std::max(errors[i], magnitude(results[i].to(at::kDouble) - precise[i]));
    }
  } catch (const std::exception&) {  // the model does not run in float64
  }
  return errors;
}

std::vector<Tensor> run_linnet(const Model& model, const std::vector<ExampleArgument>& arguments) {
  std::vector<std::pair<std::string, Tensor>> named;
  for (const ExampleArgument& argument : arguments) {
    Value value = argument.value;
    for_each_leaf(value, [&](Value& leaf) {
      if (!leaf.name.empty()) named.emplace_back(leaf.name, dense(leaf.tensor()));
    });
  }
  Context context(model);
  std::vector<Tensor> outputs;
  for (const Tensor& output : context.run(named)) outputs.push_back(output.clone());
  return outputs;
}

/// A folder that exists for the lifetime of this object.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {
    std::filesystem::create_directory(path_);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// Loads the model of a graph without replacing or fusing nodes.
Model load_as_written(const OnnxGraph& graph, const Options& options) {
  const TemporaryFolder folder(options.output + ".inside");
  const std::string file = folder / "model.onnx";
  write_onnx(graph, options.form, file, false);
  ModelOptions model_options;
  model_options.optimization = 0;
  return load_onnx(file, model_options);
}

/// Returns the tolerance for values inside the model, which is relative to the magnitude of the whole tensor.
double inner_slack(const at::Tensor& tensor, const Options& options) { return options.atol * magnitude(tensor); }

/// Returns the first value inside the model that differs, in the order of computation. The model is exported for this
/// sample alone, with all values as outputs.
Json first_difference(const torch::jit::Module& module, const Lowerings& lowerings,
                      const std::vector<ExampleArgument>& arguments, const Options& options) {
  Trace trace = Tracer(lowerings, options.form, true).trace(module, arguments);
  std::set<std::string> made;
  for (const OnnxNode& node : trace.graph.nodes) made.insert(node.outputs.begin(), node.outputs.end());
  trace.graph.outputs.clear();
  std::vector<RecordedValue> values;
  for (const RecordedValue& value : trace.values) {
    if (!made.erase(value.name)) continue;
    values.push_back(value);
    trace.graph.outputs.push_back({value.name, dtype_from(value.tensor.scalar_type()), std::nullopt});
  }
  const std::vector<Tensor> got = run_linnet(load_as_written(trace.graph, options), arguments);
  for (size_t i = 0; i < values.size(); ++i) {
    const Comparison comparison =
        compare(got[i], dense(values[i].tensor), options, inner_slack(values[i].tensor, options));
    if (comparison.problem.empty()) continue;
    const std::optional<Positions>& positions = values[i].positions;
    return {{"value", values[i].name},
            {"operator", values[i].operator_name},
            {"source", values[i].source},
            {"difference", comparison.problem},
            {"tie", positions && is_tie(got[i], values[i].tensor, *positions)}};
  }
  return nullptr;
}

/// Describes a difference that does not occur inside the model if it is exported for the sample alone and run as
/// written.
std::string describe_outer(const std::vector<ExampleArgument>& arguments, const std::vector<at::Tensor>& expected,
                           const Options& options) {
  ModelOptions as_written;
  as_written.optimization = 0;
  const std::vector<Tensor> got = run_linnet(load_onnx(options.output, as_written), arguments);
  for (size_t i = 0; i < got.size(); ++i) {
    if (compare(got[i], dense(expected[i]), options, inner_slack(expected[i], options)).problem.empty()) continue;
    return "; exported for this sample alone, it agrees: the file holds for other sizes only, a fault of the exporter";
  }
  return "; at optimization 0 the file agrees: a fault of the engine's optimization";
}

std::string describe(const Json& node) {
  return "; the first to differ is " + node["operator"].get<std::string>() + " (" + node["value"].get<std::string>() +
         ") at " + node["source"].get<std::string>() + ": " + node["difference"].get<std::string>();
}

/// Returns the report of one sample. `problem` receives the first problem.
Json check_sample(const torch::jit::Module& module, const Model& model, const ExampleInputs& inputs,
                  const Sample& sample, const Lowerings& lowerings, const Options& options, std::string& problem) {
  const double scale = magnitude(sample.fill);
  Json report{{"inputs", sample.name}, {"magnitude", scale}};
  for (const auto& [symbol, size] : sample.sizes) report["sizes"][symbol] = size;
  const std::vector<ExampleArgument> arguments = inputs.arguments({{sample.sizes, sample.fill}});
  const std::vector<at::Tensor> expected = run_torch(module, arguments);
  const std::vector<Tensor> got = run_linnet(model, arguments);
  if (got.size() != expected.size()) {
    throw Failure(ExitCode::kDifference,
                  text_of("the file has ", got.size(), " outputs, PyTorch gives ", expected.size(), " tensors"));
  }
  std::vector<double> rounding;
  bool agrees = true;
  for (size_t i = 0; i < got.size(); ++i) {
    Comparison comparison = compare(got[i], dense(expected[i]), options, 0);
    Json output{{"name", model.outputs()[i].name}, {"largest_difference", comparison.largest}};
    if (!comparison.problem.empty()) {
      if (rounding.empty()) rounding = rounding_errors(module, arguments, expected);
      output["rounding_error_of_pytorch"] = rounding[i];
      comparison = compare(got[i], dense(expected[i]), options, kRoundingErrors * rounding[i]);
    }
    if (!comparison.problem.empty()) {
      output["problem"] = comparison.problem;
      agrees = false;
      if (problem.empty())
        problem = "output '" + model.outputs()[i].name + "', " + sample.name + ": " + comparison.problem;
    }
    report["outputs"].push_back(output);
  }
  if (agrees) return report;
  report["first_difference"] = first_difference(module, lowerings, arguments, options);
  const Json& first = report["first_difference"];
  if (!first.is_null() && first["tie"].get<bool>()) {
    problem.clear();
  } else {
    problem += first.is_null() ? describe_outer(arguments, expected, options) : describe(first);
  }
  return report;
}

/// Returns the largest difference, relative to the magnitude of the inputs.
double largest_difference(const Json& samples) {
  double largest = 0;
  for (const Json& sample : samples) {
    for (const Json& output : sample["outputs"]) {
      largest = std::max(largest, output["largest_difference"].get<double>() / sample["magnitude"].get<double>());
    }
  }
  return largest;
}

}  // namespace

ExitCode check_export(const torch::jit::Module& module, const ExampleInputs& inputs, const Lowerings& lowerings,
                      const Options& options) {
  const Model model = load_onnx(options.output);
  Json samples = Json::array();
  std::string problem;
  for (const Sample& sample : samples_of(inputs, options.check_inputs)) {
    samples.push_back(check_sample(module, model, inputs, sample, lowerings, options, problem));
    if (!problem.empty()) break;
  }
  const double largest = largest_difference(samples);
  const Json report{{"model", options.model}, {"onnx", options.output}, {"agrees", problem.empty()},
                    {"atol", options.atol},   {"rtol", options.rtol},   {"largest_difference", largest},
                    {"samples", samples}};
  std::ofstream(options.output + ".check.json") << report.dump(2) << "\n";
  if (!problem.empty()) throw Failure(ExitCode::kDifference, options.output + ": " + problem);
  std::printf("check  %zu inputs agree with PyTorch, largest difference %.3g\n", samples.size(), largest);
  return ExitCode::kOk;
}

}  // namespace linnet::exporter::torchscript
