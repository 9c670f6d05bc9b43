#include <gtest/gtest.h>

#include "graph/graph.h"
#include "model_builder.h"
#include "run/model_graph.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

constexpr int64_t kWidth = 16;
using Pairs = std::vector<std::pair<std::string, std::string>>;

pb::TensorProto& add_square_matrix(pb::GraphProto& graph, const std::string& name) {
  pb::TensorProto& tensor = *graph.add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(pb::TensorProto::FLOAT);
  for (int i = 0; i < 2; ++i) tensor.add_dims(kWidth);
  for (int64_t i = 0; i < kWidth * kWidth; ++i) tensor.add_float_data(float(i % 7) / 16 - 0.2F);
  return tensor;
}

void add_scalar(pb::GraphProto& graph, const std::string& name, int32_t type, int64_t value) {
  pb::TensorProto& tensor = *graph.add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(type);
  type == pb::TensorProto::BOOL ? tensor.add_int32_data(int32_t(value)) : tensor.add_int64_data(value);
}

void add_typed_input(pb::GraphProto& graph, const std::string& name, int32_t type, const std::vector<int64_t>& dims) {
  pb::ValueInfoProto& value = *graph.add_input();
  value.set_name(name);
  set_type(value, type, dims);
}

/// Iterates h = tanh(h w). `passed` contains values of the body, each from an input to an output, in the order after
/// h's.
void fill_loop_body(pb::GraphProto& body, const std::string& weights, const Pairs& passed) {
  add_typed_input(body, "i", pb::TensorProto::INT64, {});
  add_typed_input(body, "ci", pb::TensorProto::BOOL, {});
  add_input(body, "hi", {2, kWidth});
  for (const auto& [in, out] : passed) add_input(body, in, {kWidth, kWidth});
  add_node(body, "MatMul", {"hi", weights}, {"p"});
  add_node(body, "Tanh", {"p"}, {"ho"});
  add_node(body, "Identity", {"ci"}, {"co"});
  for (const char* name : {"co", "ho"}) add_output(body, name);
  for (const auto& [in, out] : passed) add_output(body, out);
}

pb::ModelProto model_of_loop(int64_t trips) {
  pb::ModelProto proto = empty_model();
  pb::GraphProto& graph = *proto.mutable_graph();
  add_input(graph, "x", {2, kWidth});
  add_square_matrix(graph, "w");
  add_scalar(graph, "n", pb::TensorProto::INT64, trips);
  add_scalar(graph, "c", pb::TensorProto::BOOL, 1);
  return proto;
}

/// Returns a loop that only reads the weights.
pb::ModelProto captured(int64_t trips = 3) {
  pb::ModelProto proto = model_of_loop(trips);
  pb::NodeProto& loop = add_node(*proto.mutable_graph(), "Loop", {"n", "c", "x"}, {"y"});
  fill_loop_body(add_body(loop, "body"), "w", {});
  add_output(*proto.mutable_graph(), "y");
  return proto;
}

/// Returns a loop that carries the weights through `identities` nodes in each iteration.
pb::ModelProto carried(int identities, int64_t trips = 3) {
  pb::ModelProto proto = model_of_loop(trips);
  pb::NodeProto& loop = add_node(*proto.mutable_graph(), "Loop", {"n", "c", "x", "w"}, {"y", "last"});
  pb::GraphProto& body = add_body(loop, "body");
  std::string out = "wi";
  for (int i = 0; i < identities; ++i) {
    add_node(body, "Identity", {out}, {"wo" + std::to_string(i)});
    out = "wo" + std::to_string(i);
  }
  fill_loop_body(body, "wi", {{"wi", out}});
  for (const char* name : {"y", "last"}) add_output(*proto.mutable_graph(), name);
  return proto;
}

const Node& only_node(const Model& model) { return model_graph(model).node(model_graph(model).nodes()[0]); }

std::vector<Tensor> run_once(const Model& model, int64_t* packed = nullptr) {
  Context context(model);
  std::vector<Tensor> outputs;
  for (const Tensor& output : context.run(std::vector{random_tensor({2, kWidth})})) outputs.push_back(output.clone());
  if (packed) *packed = context.memory().packed_bytes;
  return outputs;
}

TEST(UnchangedValues, AreCapturedAndPackedOnce) {
  int64_t packed_once = 0, packed = 0;
  const Tensor expected = run_once(load(captured()), &packed_once)[0];
  EXPECT_GT(packed_once, 0);
  for (const int identities : {0, 1, 3}) {
    const Model model = load(carried(identities));
    EXPECT_EQ(only_node(model).inputs.size(), 3U);
    EXPECT_EQ(only_node(model).outputs.size(), 1U);
    const std::vector<Tensor> outputs = run_once(model, &packed);
    EXPECT_TRUE(identical(outputs[0], expected));
    EXPECT_EQ(packed, packed_once);
  }
}

TEST(UnchangedValues, AreOutputsOfTheLoopAsTheyCame) {
  const pb::ModelProto proto = carried(0);
  const auto& values = proto.graph().initializer(0).float_data();
  const Tensor w = Tensor::of(Shape{kWidth, kWidth}, std::vector<float>(values.begin(), values.end()));
  for (const int64_t trips : {0, 1, 4}) {
    for (const int optimization : {0, 1, 2}) {
      ModelOptions options;
      options.optimization = optimization;
      const std::vector<Tensor> outputs = run_once(load(carried(1, trips), options));
      EXPECT_TRUE(identical(outputs[0], run_once(load(captured(trips), options))[0]));
      EXPECT_TRUE(identical(outputs[1], w));
    }
  }
}

TEST(UnchangedValues, MayBeInputsOfTheModelAndOutputsToo) {
  pb::ModelProto proto = carried(1);
  add_input(*proto.mutable_graph(), "w", {kWidth, kWidth});
  proto.mutable_graph()->mutable_initializer()->DeleteSubrange(0, 1);
  const Model model = load(proto);
  Context context(model);
  const std::vector<Tensor> inputs{random_tensor({2, kWidth}), random_tensor({kWidth, kWidth}, 3)};
  const auto outputs = context.run(inputs);
  EXPECT_TRUE(identical(outputs[1], inputs[1]));
  EXPECT_NE(outputs[1].raw(), inputs[1].raw());
}

TEST(UnchangedValues, ValuesThatChangePlacesOrAreComputedStay) {
  pb::ModelProto proto = model_of_loop(3);
  add_square_matrix(*proto.mutable_graph(), "v").set_float_data(5, 1);
  pb::NodeProto& loop = add_node(*proto.mutable_graph(), "Loop", {"n", "c", "x", "w", "v", "w"}, {"y", "a", "b", "s"});
  pb::GraphProto& body = add_body(loop, "body");
  add_node(body, "Neg", {"ui"}, {"uo"});
  fill_loop_body(body, "wi", {{"wi", "vi"}, {"vi", "wi"}, {"ui", "uo"}});
  for (const char* name : {"y", "a", "b", "s"}) add_output(*proto.mutable_graph(), name);
  const Model model = load(proto);
  EXPECT_EQ(only_node(model).outputs.size(), 4U);
  const std::vector<Tensor> outputs = run_once(model);
  EXPECT_EQ(outputs[1].data<float>()[5], 1);  // swapped after three iterations
  EXPECT_EQ(outputs[3].data<float>()[0], 0.2F);
}

TEST(UnchangedValues, ScanOutputsOfThemStay) {
  pb::ModelProto proto = model_of_loop(3);
  pb::NodeProto& loop = add_node(*proto.mutable_graph(), "Loop", {"n", "c", "w", "x"}, {"", "y", "rows", "copies"});
  pb::GraphProto& body = add_body(loop, "body");
  fill_loop_body(body, "wi", {});
  add_input(body, "wi", {kWidth, kWidth});
  body.mutable_input()->SwapElements(2, 3);
  add_node(body, "Identity", {"wi"}, {"wo"});
  for (const char* name : {"wo", "ho", "wo"}) add_output(body, name);
  body.mutable_output()->SwapElements(1, 2);
  for (const char* name : {"y", "rows", "copies"}) add_output(*proto.mutable_graph(), name);
  const Model model = load(proto);
  EXPECT_EQ(only_node(model).outputs.size(), 3U);
  const std::vector<Tensor> outputs = run_once(model);
  EXPECT_TRUE(identical(outputs[0], run_once(load(captured()))[0]));
  EXPECT_EQ(outputs[1].shape(), (Shape{3, 2, kWidth}));
  EXPECT_EQ(outputs[2].shape(), (Shape{3, kWidth, kWidth}));
}

TEST(UnchangedValues, PassThroughLoopsInLoops) {
  pb::ModelProto proto = model_of_loop(2);
  pb::NodeProto& outer = add_node(*proto.mutable_graph(), "Loop", {"n", "c", "x", "w"}, {"y", "last"});
  pb::GraphProto& body = add_body(outer, "body");
  add_typed_input(body, "j", pb::TensorProto::INT64, {});
  add_typed_input(body, "cj", pb::TensorProto::BOOL, {});
  add_input(body, "hj", {2, kWidth});
  add_input(body, "wj", {kWidth, kWidth});
  pb::NodeProto& inner = add_node(body, "Loop", {"n", "cj", "hj", "wj"}, {"h", "wk"});
  fill_loop_body(add_body(inner, "body"), "wi", {{"wi", "wi"}});
  for (const char* name : {"cj", "h", "wk"}) add_output(body, name);
  for (const char* name : {"y", "last"}) add_output(*proto.mutable_graph(), name);
  int64_t packed = 0, packed_once = 0;
  const std::vector<Tensor> outputs = run_once(load(proto), &packed);
  const std::vector<Tensor> expected = run_once(load(captured(4)), &packed_once);
  EXPECT_TRUE(identical(outputs[0], expected[0]));
  EXPECT_EQ(packed, packed_once);
}

TEST(UnchangedValues, OfScanAreCapturedToo) {
  pb::ModelProto proto = model_of_loop(3);
  add_input(*proto.mutable_graph(), "steps", {3});
  pb::NodeProto& scan = add_node(*proto.mutable_graph(), "Scan", {"w", "x", "steps"}, {"last", "y", "rows"});
  add_attribute(scan, "num_scan_inputs", pb::AttributeProto::INT).set_i(1);
  pb::GraphProto& body = add_body(scan, "body");
  add_input(body, "wi", {kWidth, kWidth});
  add_input(body, "hi", {2, kWidth});
  add_input(body, "s", {});
  add_node(body, "MatMul", {"hi", "wi"}, {"p"});
  add_node(body, "Tanh", {"p"}, {"ho"});
  add_node(body, "Neg", {"ho"}, {"row"});
  for (const char* name : {"wi", "ho", "row"}) add_output(body, name);
  for (const char* name : {"y", "rows", "last"}) add_output(*proto.mutable_graph(), name);
  const Model model = load(proto);
  EXPECT_EQ(only_node(model).outputs.size(), 2U);
  Context context(model);
  const auto outputs = context.run(std::vector{random_tensor({2, kWidth}), random_tensor({3})});
  EXPECT_TRUE(identical(outputs[0], run_once(load(captured()))[0]));
  EXPECT_EQ(outputs[1].shape(), (Shape{3, 2, kWidth}));
  EXPECT_EQ(outputs[2].shape(), (Shape{kWidth, kWidth}));
}

}  // namespace
}  // namespace linnet::testing
