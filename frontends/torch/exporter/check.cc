#include "check.h"

#include <ATen/ATen.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "linnet/onnx.h"
#include "onnx_types.h"
#include "writer.h"

namespace linnet::exporter {
namespace {

using Json = nlohmann::ordered_json;

/// One set of inputs to try.
struct Sample {
  std::string name;
  Fill fill;
  Sizes sizes;
};

struct Comparison {
  std::string problem;  ///< empty where they agree
  double largest = 0;   ///< difference
};

std::vector<Sample> samples_of(const ExampleInputs& inputs, int random) {
  std::vector<Sample> samples;
  for (int i = 0; i < random; ++i) {
    samples.push_back({text_of("random ", i), Fill::kRandom, i % 2 == 0 ? inputs.sizes() : inputs.other_sizes()});
  }
  if (!inputs.has_floats()) return samples;
  samples.push_back({"zeros", Fill::kZeros, inputs.sizes()});
  samples.push_back({"negative", Fill::kNegative, inputs.sizes()});
  samples.push_back({"large", Fill::kLarge, inputs.sizes()});
  return samples;
}

/// The tensor in Linnet's form; it shares the memory of `dense`.
Tensor wrap(const at::Tensor& dense) {
  Shape shape;
  for (const int64_t size : dense.sizes()) shape.push_back(size);
  return Tensor::wrap(DType(onnx_type(dense.scalar_type())), shape, dense.data_ptr());
}

at::Tensor to_torch(const Tensor& tensor, at::ScalarType dtype) {
  const std::vector<int64_t> sizes(tensor.shape().begin(), tensor.shape().end());
  return at::from_blob(const_cast<void*>(tensor.raw()), sizes, at::TensorOptions(dtype)).clone();
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
    tensors.push_back(at::scalar_to_tensor(value.toScalar()).to(dtype_of(value)));
  }
}

std::vector<at::Tensor> run_torch(torch::jit::Module module, const std::vector<ExampleArgument>& arguments) {
  const at::NoGradGuard no_gradients;
  const auto& schema = module.get_method("forward").function().getSchema();
  std::vector<c10::IValue> values;
  for (size_t i = 0; i < arguments.size(); ++i) {
    values.push_back(to_ivalue(arguments[i].value, schema.arguments()[i + 1].type(), 0));
    if (values.back().isTensor()) values.back() = values.back().toTensor().clone();
  }
  std::vector<at::Tensor> tensors;
  flatten(module.forward(values), tensors);
  return tensors;
}

std::vector<Tensor> run_linnet(const Model& model, const std::vector<ExampleArgument>& arguments) {
  std::vector<at::Tensor> kept;
  std::vector<std::pair<std::string, Tensor>> named;
  for (const ExampleArgument& argument : arguments) {
    Value value = argument.value;
    for_each_leaf(value, [&](Value& leaf) {
      if (leaf.name.empty()) return;
      kept.push_back(leaf.tensor().contiguous());
      named.emplace_back(leaf.name, wrap(kept.back()));
    });
  }
  Context context(model);
  std::vector<Tensor> outputs;
  for (const Tensor& output : context.run(named)) outputs.push_back(output.clone());
  return outputs;
}

Model load(const OnnxGraph& graph, const Options& options, int optimization) {
  const std::string bytes = write_onnx(graph, options.form);
  ModelOptions model_options;
  model_options.optimization = optimization;
  return load_onnx_bytes(std::as_bytes(std::span(bytes)), {}, model_options);
}

/// Rounding errors grow with the inputs: `scale` is their magnitude.
Comparison compare(const Tensor& got, const at::Tensor& expected, const Options& options, double scale) {
  if (int32_t(got.dtype()) != onnx_type(expected.scalar_type())) {
    return {text_of("dtype ", got.dtype(), " for PyTorch's ", dtype_name(expected.scalar_type()))};
  }
  const at::Tensor mine = to_torch(got, expected.scalar_type());
  if (mine.sizes() != expected.sizes()) return {text_of("shape ", mine.sizes(), " for PyTorch's ", expected.sizes())};
  if (mine.numel() == 0) return {};
  const at::Tensor a = mine.to(at::kDouble).reshape({-1}), b = expected.to(at::kDouble).reshape({-1});
  const at::Tensor same = a.eq(b).logical_or(a.isnan().logical_and(b.isnan()));
  const at::Tensor difference = at::where(same, at::zeros_like(a), (a - b).abs()).nan_to_num(INFINITY, INFINITY);
  const at::Tensor bound = (b.abs() * options.rtol + options.atol * scale).nan_to_num(0, 0);
  Comparison result{"", difference.max().item<double>()};
  const at::Tensor bad = difference.gt(bound);
  if (!bad.any().item<bool>()) return result;
  const auto worst = (difference - bound).argmax().item<int64_t>();
  result.problem = text_of(bad.sum().item<int64_t>(), " of ", a.numel(), " elements differ; at ", worst, " ",
                           a[worst].item<double>(), " for PyTorch's ", b[worst].item<double>());
  return result;
}

/// The first value inside the model that differs, in the order of computation. The model is exported for this sample
/// alone, with all values as outputs.
Json first_difference(const torch::jit::Module& module, const Lowerings& lowerings,
                      const std::vector<ExampleArgument>& arguments, const Options& options, double scale) {
  Trace trace = Tracer(lowerings, options.form, true).trace(module, arguments);
  std::set<std::string> made;
  for (const OnnxNode& node : trace.graph.nodes) made.insert(node.outputs.begin(), node.outputs.end());
  trace.graph.outputs.clear();
  std::vector<RecordedValue> values;
  for (const RecordedValue& value : trace.values) {
    if (!made.erase(value.name)) continue;
    values.push_back(value);
    trace.graph.outputs.push_back({value.name, value.tensor.scalar_type(), std::nullopt});
  }
  const std::vector<Tensor> got = run_linnet(load(trace.graph, options, 0), arguments);
  for (size_t i = 0; i < values.size(); ++i) {
    const Comparison comparison = compare(got[i], values[i].tensor, options, scale);
    if (comparison.problem.empty()) continue;
    return {{"value", values[i].name},
            {"operator", values[i].operator_name},
            {"source", values[i].source},
            {"difference", comparison.problem}};
  }
  return nullptr;
}

std::string describe(const Json& node) {
  if (node.is_null()) return "; every value inside agrees at optimization 0";
  return "; the first to differ is " + node["operator"].get<std::string>() + " (" + node["value"].get<std::string>() +
         ") at " + node["source"].get<std::string>() + ": " + node["difference"].get<std::string>();
}

/// What one sample showed; the first problem goes to `problem`.
Json check_sample(const torch::jit::Module& module, const Model& model, const ExampleInputs& inputs,
                  const Sample& sample, const Lowerings& lowerings, const Options& options, std::string& problem) {
  Json report{{"inputs", sample.name}};
  for (const auto& [symbol, size] : sample.sizes) report["sizes"][symbol] = size;
  const std::vector<ExampleArgument> arguments = inputs.arguments({sample.sizes}, sample.fill);
  const std::vector<at::Tensor> expected = run_torch(module, arguments);
  const std::vector<Tensor> got = run_linnet(model, arguments);
  const double scale = magnitude(sample.fill);
  bool agrees = true;
  for (size_t i = 0; i < got.size(); ++i) {
    const Comparison comparison = compare(got[i], expected.at(i), options, scale);
    Json output{{"name", model.outputs()[i].name}, {"largest_difference", comparison.largest}};
    if (!comparison.problem.empty()) {
      output["problem"] = comparison.problem;
      agrees = false;
      if (problem.empty())
        problem = "output '" + model.outputs()[i].name + "', " + sample.name + ": " + comparison.problem;
    }
    report["outputs"].push_back(output);
  }
  if (agrees) return report;
  report["first_difference"] = first_difference(module, lowerings, arguments, options, scale);
  problem += describe(report["first_difference"]);
  return report;
}

double largest_difference(const Json& samples) {
  double largest = 0;
  for (const Json& sample : samples) {
    for (const Json& output : sample["outputs"])
      largest = std::max(largest, output["largest_difference"].get<double>());
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

}  // namespace linnet::exporter
