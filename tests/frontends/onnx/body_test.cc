#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/graph.h"
#include "model_builder.h"
#include "run/model_graph.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

using ::testing::ElementsAre;

pb::AttributeProto& set_constant(pb::NodeProto& node, bool value) {
  pb::TensorProto& tensor = *add_attribute(node, "value", pb::AttributeProto::TENSOR).mutable_t();
  tensor.set_data_type(pb::TensorProto::BOOL);
  tensor.add_int32_data(value);
  return *node.mutable_attribute(0);
}

// Returns a model with a bool input "cond" and float inputs.
pb::ModelProto model_with_inputs(const std::vector<std::string>& names) {
  pb::ModelProto model = empty_model();
  add_input(*model.mutable_graph(), "cond", {});
  model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(pb::TensorProto::BOOL);
  for (const std::string& name : names) add_input(*model.mutable_graph(), name);
  return model;
}

// Adds one node as a body: y = op(inputs).
void fill_body_of_one_node(pb::GraphProto& body, const std::string& op_type, const std::vector<std::string>& inputs,
                           const std::string& output) {
  add_node(body, op_type, inputs, {output});
  add_output(body, output);
}

std::vector<std::string> input_names(const Graph& graph) {
  std::vector<std::string> names;
  for (const ValueId id : graph.inputs()) names.push_back(graph.value(id).name);
  return names;
}

const Node& node_of_type(const Graph& graph, const std::string& op_type) {
  for (const NodeId id : graph.nodes()) {
    if (graph.node(id).spec.op_type == op_type) return graph.node(id);
  }
  throw Error(ErrorKind::kInternal, "no " + op_type);
}

const Graph& body_of(const Node& node, const std::string& name) {
  return *node.spec.attr<std::shared_ptr<const Graph>>(name);
}

std::vector<float> run_if(const pb::ModelProto& proto, bool cond, const std::vector<std::vector<float>>& inputs) {
  std::vector<Tensor> tensors{Tensor::scalar(cond)};
  for (const auto& values : inputs) tensors.push_back(Tensor::of(values));
  Context context(load(proto));
  return floats(context.run(tensors)[0]);
}

TEST(OnnxBody, CapturesBecomeTheSameTrailingInputsOfAllBodies) {
  pb::ModelProto proto = model_with_inputs({"a", "b", "c"});
  pb::NodeProto& node = add_node(*proto.mutable_graph(), "If", {"cond"}, {"y"});
  fill_body_of_one_node(add_body(node, "then_branch"), "Sub", {"a", "b"}, "t");
  fill_body_of_one_node(add_body(node, "else_branch"), "Sub", {"c", "b"}, "e");
  add_output(*proto.mutable_graph(), "y");
  const Model model = load_as_written(proto);
  const Node& loaded = node_of_type(model_graph(model), "If");
  EXPECT_EQ(loaded.spec.captures, 3);
  EXPECT_EQ(loaded.inputs.size(), 4u);
  EXPECT_THAT(input_names(body_of(loaded, "then_branch")), ElementsAre("a", "b", "c"));
  EXPECT_THAT(input_names(body_of(loaded, "else_branch")), ElementsAre("a", "b", "c"));
  EXPECT_THAT(run_if(proto, true, {{1, 2}, {3, 5}, {10, 20}}), ElementsAre(-2, -3));
  EXPECT_THAT(run_if(proto, false, {{1, 2}, {3, 5}, {10, 20}}), ElementsAre(7, 15));
}

TEST(OnnxBody, ConstantsAroundItBecomeItsOwn) {
  pb::ModelProto proto = model_with_inputs({"a"});
  add_initializer(*proto.mutable_graph(), "w", {10, 20});
  pb::NodeProto& node = add_node(*proto.mutable_graph(), "If", {"cond"}, {"y"});
  fill_body_of_one_node(add_body(node, "then_branch"), "Add", {"a", "w"}, "t");
  fill_body_of_one_node(add_body(node, "else_branch"), "Identity", {"w"}, "e");
  add_output(*proto.mutable_graph(), "y");
  const Model model = load_as_written(proto);
  EXPECT_EQ(node_of_type(model_graph(model), "If").spec.captures, 1);
  EXPECT_EQ(load(proto).load_report().weights_bytes, 8);
  EXPECT_THAT(run_if(proto, true, {{1, 2}}), ElementsAre(11, 22));
  EXPECT_THAT(run_if(proto, false, {{1, 2}}), ElementsAre(10, 20));
}

TEST(OnnxBody, InnerBodiesCaptureThroughOuterOnes) {
  pb::ModelProto proto = model_with_inputs({"a", "b"});
  pb::NodeProto& outer = add_node(*proto.mutable_graph(), "If", {"cond"}, {"y"});
  pb::GraphProto& then_branch = add_body(outer, "then_branch");
  pb::NodeProto& inner = add_node(then_branch, "If", {"cond"}, {"t"});
  fill_body_of_one_node(add_body(inner, "then_branch"), "Add", {"a", "b"}, "it");
  fill_body_of_one_node(add_body(inner, "else_branch"), "Neg", {"b"}, "ie");
  add_output(then_branch, "t");
  fill_body_of_one_node(add_body(outer, "else_branch"), "Neg", {"a"}, "e");
  add_output(*proto.mutable_graph(), "y");
  const Model model = load_as_written(proto);
  const Node& loaded = node_of_type(model_graph(model), "If");
  EXPECT_THAT(input_names(body_of(loaded, "then_branch")), ElementsAre("cond", "a", "b"));
  EXPECT_THAT(run_if(proto, true, {{1, 2}, {3, 4}}), ElementsAre(4, 6));
  EXPECT_THAT(run_if(proto, false, {{1, 2}, {3, 4}}), ElementsAre(-1, -2));
}

TEST(OnnxBody, OutputsMayBeOuterValuesAndNamesInsideHideThoseOutside) {
  pb::ModelProto proto = model_with_inputs({"a"});
  pb::NodeProto& node = add_node(*proto.mutable_graph(), "If", {"cond"}, {"y"});
  add_output(add_body(node, "then_branch"), "a");
  pb::GraphProto& other = add_body(node, "else_branch");
  add_initializer(other, "a", {7, 8});
  add_output(other, "a");
  add_output(*proto.mutable_graph(), "y");
  EXPECT_THAT(run_if(proto, true, {{1, 2}}), ElementsAre(1, 2));
  EXPECT_THAT(run_if(proto, false, {{1, 2}}), ElementsAre(7, 8));
}

TEST(OnnxBody, NodesAreSortedByWhatTheirBodiesRead) {
  pb::ModelProto proto = model_with_inputs({"a"});
  pb::NodeProto& node = add_node(*proto.mutable_graph(), "If", {"cond"}, {"y"});
  fill_body_of_one_node(add_body(node, "then_branch"), "Neg", {"late"}, "t");
  fill_body_of_one_node(add_body(node, "else_branch"), "Abs", {"late"}, "e");
  add_node(*proto.mutable_graph(), "Add", {"a", "a"}, {"late"});
  add_output(*proto.mutable_graph(), "y");
  EXPECT_THAT(run_if(proto, true, {{1, 2}}), ElementsAre(-2, -4));
}

TEST(OnnxBody, LoopCarriesValuesAndCapturesBehindOmittedInputs) {
  pb::ModelProto proto = empty_model();
  add_input(*proto.mutable_graph(), "m", {});
  proto.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(pb::TensorProto::INT64);
  add_input(*proto.mutable_graph(), "step");
  pb::NodeProto& node = add_node(*proto.mutable_graph(), "Loop", {"m"}, {"y"});
  pb::GraphProto& body = add_body(node, "body");
  for (const char* name : {"i", "keep"}) body.add_input()->set_name(name);
  set_constant(add_node(body, "Constant", {}, {"more"}), true);
  add_node(body, "Identity", {"step"}, {"row"});
  add_output(body, "more");
  add_output(body, "row");
  add_output(*proto.mutable_graph(), "y");
  Context context(load(proto));
  const std::vector<Tensor> inputs{Tensor::scalar<int64_t>(2), Tensor::of(std::vector<float>{3, 4})};
  EXPECT_THAT(floats(context.run(inputs)[0]), ElementsAre(3, 4, 3, 4));
}

// y = its fourth input, the first after its declared inputs.
class FirstCapture final : public Op {
 public:
  explicit FirstCapture(const NodeSpec&) {}
  std::vector<Fact> infer(std::span<const Fact> in) const override { return {in[3]}; }
  KernelPtr compile(const CompileInput&) const override { throw Error(ErrorKind::kInternal, "not to be run"); }
};

TEST(OnnxBody, CapturesFollowAsManyInputsAsTheOperatorHas) {
  Registry registry = standard_registry();
  registry.add<FirstCapture>("FirstCapture", {.since = 1, .domain = "test", .own_inputs = 3});
  pb::ModelProto proto = model_with_inputs({"a", "b"});
  add_import(proto, "test", 1);
  pb::NodeProto& node = add_node(*proto.mutable_graph(), "FirstCapture", {"a"}, {"y"});
  node.set_domain("test");
  fill_body_of_one_node(add_body(node, "body"), "Neg", {"b"}, "t");
  add_output(*proto.mutable_graph(), "y");
  const std::string bytes = proto.SerializeAsString();
  const Model model = load_onnx_bytes(std::as_bytes(std::span(bytes)), {}, {}, registry);
  const std::vector<ValueId> inputs = node_of_type(model_graph(model), "FirstCapture").inputs;
  EXPECT_THAT(inputs, ElementsAre(model_graph(model).inputs()[1], kNoValue, kNoValue, model_graph(model).inputs()[2]));
}

TEST(OnnxBody, ErrorsNameTheBody) {
  pb::ModelProto proto = model_with_inputs({"a"});
  pb::NodeProto& node = add_node(*proto.mutable_graph(), "If", {"cond"}, {"y"}, "choose");
  fill_body_of_one_node(add_body(node, "then_branch"), "Neg", {"ghost"}, "t");
  fill_body_of_one_node(add_body(node, "else_branch"), "Neg", {"a"}, "e");
  add_output(*proto.mutable_graph(), "y");
  expect_error(ErrorKind::kModel, "If 'choose' (opset 17): attribute 'then_branch': Neg 't' (opset 17): value 'ghost'",
               [&] { load(proto); });
}

TEST(OnnxBody, KeepsToTheDepthLimit) {
  pb::ModelProto proto = model_with_inputs({"a"});
  pb::GraphProto* graph = proto.mutable_graph();
  for (int depth = 0; depth < 4; ++depth) {
    pb::NodeProto& node = add_node(*graph, "If", {"cond"}, {"y"});
    add_output(*graph, "y");
    fill_body_of_one_node(add_body(node, "else_branch"), "Neg", {"a"}, "e");
    graph = &add_body(node, "then_branch");
  }
  add_output(*graph, "a");
  EXPECT_THAT(run_if(proto, true, {{1, 2}}), ElementsAre(1, 2));
  ModelOptions options;
  options.limits.depth = 3;
  expect_error(ErrorKind::kLimit, "nest deeper than 3", [&] { load(proto, options); });
}

}  // namespace
}  // namespace linnet::testing
