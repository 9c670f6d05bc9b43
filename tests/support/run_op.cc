#include "support/run_op.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "elements/dispatch.h"
#include "graph/graph.h"
#include "kernels/kernels_for.h"
#include "run/model_graph.h"
#include "support/open_facts.h"

namespace linnet::testing {
namespace {

Graph one_node_graph(const OpCase& op, const std::vector<Tensor>& inputs, int outputs,
                     const std::vector<int>& constants) {
  Graph graph(std::make_shared<Registry>(standard_registry()));
  std::vector<ValueId> values;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool constant = std::find(constants.begin(), constants.end(), int(i)) != constants.end();
    const std::string name = "x" + std::to_string(i);
    if (!inputs[i]) {
      values.push_back(kNoValue);
    } else if (constant) {
      values.push_back(graph.add_constant(name, inputs[i]));
    } else {
      values.push_back(graph.add_input(name, Fact(inputs[i].dtype(), inputs[i].shape())));
    }
  }
  std::vector<std::string> names;
  for (int i = 0; i < outputs; ++i) names.push_back("y" + std::to_string(i));
  NodeSpec spec{.op_type = op.op_type, .domain = op.domain, .name = "node", .opset = op.opset};
  spec.attributes = op.attributes;
  const NodeId node = graph.add_node(spec, values, names);
  for (int i = 0; i < outputs; ++i) graph.add_output(names[size_t(i)], graph.node(node).outputs[size_t(i)]);
  return graph;
}

std::vector<Tensor> run(const Graph& graph, const std::vector<Tensor>& inputs, Isa isa, int threads, bool guarded) {
  ModelOptions options;
  options.isa = isa;
  options.guard_memory = guarded;
  const Model model = make_model(graph, options);
  Context context(model, {.executor = make_openmp_executor(threads), .observer = nullptr, .limits = {}});
  std::vector<Tensor> results;
  for (const Tensor& output : context.run(inputs)) results.push_back(output.clone());
  return results;
}

double as_double(const Tensor& tensor, int64_t i) {
  if (tensor.dtype() == DType::kBool) return tensor.data<bool>()[i];
  return dispatch_stored(tensor.dtype(), [&]<class T>() { return static_cast<double>(tensor.data<T>()[i]); });
}

bool close(double got, double want, double atol, double rtol) {
  if (std::isnan(want)) return std::isnan(got);
  if (std::isinf(want) || got == want) return got == want;
  return std::abs(got - want) <= atol + rtol * std::abs(want);
}

}  // namespace

std::vector<Tensor> run_op(const OpCase& op, const std::vector<Tensor>& inputs, int outputs,
                           const std::vector<int>& constants, Isa isa, int threads) {
  const Graph graph = one_node_graph(op, inputs, outputs, constants);
  std::vector<Tensor> given;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] && std::find(constants.begin(), constants.end(), int(i)) == constants.end()) {
      given.push_back(inputs[i]);
    }
  }
  const std::vector<Tensor> results = run(graph, given, isa, threads, false);
  const std::vector<Tensor> guarded = run(graph, given, isa, threads, true);
  const Node& node = graph.node(graph.nodes().front());
  for (size_t i = 0; i < results.size() && node.op->deterministic(); ++i) {
    EXPECT_TRUE(identical(results[i], guarded[i])) << "output " << i << " is another with guarded memory";
  }
  std::vector<Fact> facts;
  for (const Tensor& input : inputs) facts.push_back(input ? Fact(input) : Fact());
  expect_open_facts_fit(*node.op, facts, results);
  return results;
}

std::vector<Isa> supported_isas() {
  std::vector<Isa> isas;
  for (const IsaSupport& entry : isa_support()) {
    if (entry.supported) isas.push_back(entry.isa);
  }
  return isas;
}

std::vector<Isa> supported_byte_isas() {
  std::vector<Isa> isas = supported_isas();
  for (const IsaSupport& entry : isa_support()) {
    for (const FeatureSupport& feature : entry.features) {
      const bool multiplies = feature.name == "vnni" || feature.name == "dotprod" || feature.name == "i8mm";
      if (multiplies && feature.supported) isas.push_back(isa_from_name(str(entry.name, "+", feature.name)));
    }
  }
  return isas;
}

std::string isa_test_name(Isa isa) {
  std::string name = isa_name(isa);
  std::ranges::replace(name, '+', '_');
  return name;
}

Tensor random_tensor(const Shape& shape, unsigned seed) {
  Tensor tensor(DType::kFloat32, shape);
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal;
  std::generate_n(tensor.data<float>(), tensor.size(), [&] { return normal(engine); });
  return tensor;
}

Tensor random_uniform(const Shape& shape, float low, float high, unsigned seed) {
  Tensor tensor(DType::kFloat32, shape);
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> uniform(low, high);
  std::generate_n(tensor.data<float>(), tensor.size(), [&] { return uniform(engine); });
  return tensor;
}

Tensor cast_to(const Tensor& tensor, DType dtype) {
  Tensor result(dtype, tensor.shape());
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const double value = as_double(tensor, i);
    if (dtype == DType::kBool) {
      result.data<bool>()[i] = value != 0;
    } else {
      dispatch_stored(dtype, [&]<class T>() { result.data<T>()[i] = stored<T>(value); });
    }
  }
  return result;
}

void expect_close(const Tensor& got, const Tensor& want, double atol, double rtol) {
  ASSERT_EQ(got.dtype(), want.dtype());
  ASSERT_EQ(got.shape(), want.shape());
  if ((atol == 0 && rtol == 0 && !is_floating(want.dtype())) || want.dtype() == DType::kString) {
    EXPECT_TRUE(identical(got, want)) << "values of " << describe(want) << " differ";
    return;
  }
  int failures = 0;
  for (int64_t i = 0; i < want.size() && failures < 5; ++i) {
    if (close(as_double(got, i), as_double(want, i), atol, rtol)) continue;
    ++failures;
    ADD_FAILURE() << "element " << i << " of " << describe(want) << ": got " << as_double(got, i) << ", want "
                  << as_double(want, i);
  }
}

void report_no_error(const std::string& text) { ADD_FAILURE() << "no Error; expected one with '" << text << "'"; }

void check_error(const Error& error, ErrorKind kind, const std::string& text) {
  EXPECT_EQ(int(error.kind()), int(kind)) << error.what();
  EXPECT_NE(error.message().find(text), std::string::npos) << "'" << error.message() << "' lacks '" << text << "'";
}

}  // namespace linnet::testing
