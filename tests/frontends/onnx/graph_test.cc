#include "graph/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "expect_refused.h"
#include "model_builder.h"
#include "run/model_graph.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

using ::testing::ElementsAre;

// Returns y = Relu(x).
pb::ModelProto relu_model() {
  pb::ModelProto model = empty_model();
  add_input(*model.mutable_graph(), "x");
  add_node(*model.mutable_graph(), "Relu", {"x"}, {"y"}, "r");
  add_output(*model.mutable_graph(), "y");
  return model;
}

std::vector<std::string> node_names(const Model& model) {
  std::vector<std::string> names;
  for (const NodeId id : model_graph(model).nodes()) names.push_back(model_graph(model).node(id).spec.name);
  return names;
}

TEST(OnnxGraph, KeepsNamesAndShapesOfInputs) {
  pb::ModelProto proto = relu_model();
  pb::TensorShapeProto& shape =
      *proto.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
  shape.mutable_dim(0)->set_dim_param("N");
  shape.add_dim();
  shape.add_dim()->set_dim_value(-1);
  shape.add_dim()->set_dim_value(3);
  const Model model = load(proto);
  ASSERT_EQ(model.inputs().size(), 1u);
  EXPECT_EQ(model.inputs()[0].name, "x");
  EXPECT_EQ(str(model.inputs()[0].fact), "float32[N,?,?,3]");
  EXPECT_EQ(model.outputs()[0].name, "y");
}

TEST(OnnxGraph, AcceptsInputsOfUnknownRank) {
  pb::ModelProto proto = relu_model();
  proto.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  EXPECT_FALSE(load(proto).inputs()[0].fact.has_rank());
}

TEST(OnnxGraph, InitializersListedAsInputsAreConstants) {
  pb::ModelProto proto = empty_model();
  proto.set_ir_version(3);
  add_input(*proto.mutable_graph(), "x");
  add_input(*proto.mutable_graph(), "w");
  add_initializer(*proto.mutable_graph(), "w", {3, 4});
  add_node(*proto.mutable_graph(), "Mul", {"x", "w"}, {"y"});
  add_output(*proto.mutable_graph(), "y");
  EXPECT_EQ(load(proto).inputs().size(), 1u);
  EXPECT_THAT(run_floats(proto, {{1, 2}}), ElementsAre(3, 8));
}

TEST(OnnxGraph, SortsNodesAndKeepsTheOrderOfTheFileOtherwise) {
  pb::ModelProto proto = empty_model();
  pb::GraphProto& graph = *proto.mutable_graph();
  add_input(graph, "x");
  add_node(graph, "Abs", {"c"}, {"y"}, "last");
  add_node(graph, "Relu", {"x"}, {"a"}, "first");
  add_node(graph, "Neg", {"x"}, {"b"}, "second");
  add_node(graph, "Add", {"a", "b"}, {"c"}, "third");
  add_output(graph, "y");
  EXPECT_THAT(node_names(load_as_written(proto)), ElementsAre("first", "second", "third", "last"));
}

TEST(OnnxGraph, OutputsMayBeInputsAndInitializers) {
  pb::ModelProto proto = relu_model();
  add_initializer(*proto.mutable_graph(), "w", {5, 6});
  add_output(*proto.mutable_graph(), "x");
  add_output(*proto.mutable_graph(), "w");
  Context context(load(proto));
  const std::vector<Tensor> inputs{Tensor::of(std::vector<float>{-1, 2})};
  const auto outputs = context.run(inputs);
  EXPECT_THAT(floats(outputs[0]), ElementsAre(0, 2));
  EXPECT_THAT(floats(outputs[1]), ElementsAre(-1, 2));
  EXPECT_THAT(floats(outputs[2]), ElementsAre(5, 6));
}

TEST(OnnxGraph, LeavesOutOmittedInputsAndOutputs) {
  pb::ModelProto proto = empty_model();
  add_input(*proto.mutable_graph(), "x");
  add_initializer(*proto.mutable_graph(), "high", {1}).clear_dims();
  add_node(*proto.mutable_graph(), "Clip", {"x", "", "high"}, {"y"});
  add_node(*proto.mutable_graph(), "Dropout", {"y", "", ""}, {"z", ""}, "drop");
  add_output(*proto.mutable_graph(), "z");
  const Model model = load_as_written(proto);
  const Node& drop = model_graph(model).node(model_graph(model).nodes()[1]);
  EXPECT_EQ(drop.spec.num_inputs, 1);
  EXPECT_EQ(drop.outputs[1], kNoValue);
  EXPECT_THAT(run_floats(proto, {{-3, 3}}), ElementsAre(-3, 1));
}

TEST(OnnxGraph, UnnamedNodesAreCalledAfterTheirOutput) {
  pb::ModelProto proto = relu_model();
  proto.mutable_graph()->mutable_node(0)->clear_name();
  EXPECT_THAT(node_names(load_as_written(proto)), ElementsAre("y"));
}

TEST(OnnxGraph, AMissingOperatorIsRefusedWithWhatToDo) {
  const auto refused = [](const std::string& op_type, const std::string& domain, const std::string& text) {
    pb::ModelProto proto = empty_model();
    add_import(proto, "mine", 1);
    add_input(*proto.mutable_graph(), "x");
    add_node(*proto.mutable_graph(), op_type, {"x"}, {"y"}, "n").set_domain(domain);
    add_output(*proto.mutable_graph(), "y");
    expect_error(ErrorKind::kUnsupported, text, [&] { load(proto); });
  };
  refused("Gelu", "", "Gelu (opset 17) at node 'n'; 'Gelu' starts at opset 20, the model imports opset 17");
  refused("Rellu", "", "Rellu (opset 17) at node 'n'; did you mean 'Relu'?");
  refused("Special", "mine",
          "mine::Special (opset 1) at node 'n'; domain 'mine' is not one of Linnet's: load a library");
}

TEST(OnnxGraph, ReadsAttributesOfEveryType) {
  pb::ModelProto proto = empty_model();
  pb::NodeProto& node = add_node(*proto.mutable_graph(), "Constant", {}, {"y"});
  add_attribute(node, "value_floats", pb::AttributeProto::FLOATS).add_floats(2);
  add_attribute(node, "i", pb::AttributeProto::INT).set_i(-7);
  add_attribute(node, "s", pb::AttributeProto::STRING).set_s("text");
  add_attribute(node, "ss", pb::AttributeProto::STRINGS).add_strings("a");
  add_attribute(node, "none", pb::AttributeProto::INTS);
  pb::AttributeProto& untyped = *node.add_attribute();
  untyped.set_name("f");
  untyped.set_f(0.5f);
  add_output(*proto.mutable_graph(), "y");
  const Model model = load_as_written(proto);
  const NodeSpec& spec = model_graph(model).node(model_graph(model).nodes()[0]).spec;
  EXPECT_EQ(spec.attr<std::vector<float>>("value_floats"), std::vector<float>{2});
  EXPECT_EQ(spec.attr<int64_t>("i"), -7);
  EXPECT_EQ(spec.attr<std::string>("s"), "text");
  EXPECT_EQ(spec.attr<std::vector<std::string>>("ss"), std::vector<std::string>{"a"});
  EXPECT_TRUE(spec.attr<std::vector<int64_t>>("none").empty());
  EXPECT_EQ(spec.attr<float>("f"), 0.5f);
}

TEST(OnnxGraph, RefusesCyclesAndUndefinedNames) {
  pb::ModelProto cycle = empty_model();
  add_node(*cycle.mutable_graph(), "Relu", {"b"}, {"a"}, "n1");
  add_node(*cycle.mutable_graph(), "Relu", {"a"}, {"b"}, "n2");
  add_output(*cycle.mutable_graph(), "b");
  expect_refused(cycle, ErrorKind::kModel, "cycle: Relu 'n2' -> Relu 'n1' -> Relu 'n2'");
  pb::ModelProto loop = relu_model();
  loop.mutable_graph()->mutable_node(0)->set_input(0, "y");
  expect_refused(loop, ErrorKind::kModel, "cycle: Relu 'r' -> Relu 'r'");
  pb::ModelProto unknown = relu_model();
  unknown.mutable_graph()->mutable_node(0)->set_input(0, "q");
  expect_refused(unknown, ErrorKind::kModel, "Relu 'r' (opset 17): value 'q' is not defined");
  pb::ModelProto dangling = relu_model();
  add_output(*dangling.mutable_graph(), "ghost");
  expect_refused(dangling, ErrorKind::kModel, "output 'ghost'");
}

TEST(OnnxGraph, RefusesNamesDefinedTwice) {
  pb::ModelProto outputs = relu_model();
  add_node(*outputs.mutable_graph(), "Neg", {"x"}, {"y"}, "n");
  expect_refused(outputs, ErrorKind::kModel, "Neg 'n' (opset 17): value 'y' is defined twice");
  pb::ModelProto inputs = relu_model();
  add_input(*inputs.mutable_graph(), "x");
  expect_refused(inputs, ErrorKind::kModel, "input 'x': value 'x' is defined twice");
  pb::ModelProto initializers = relu_model();
  add_initializer(*initializers.mutable_graph(), "w", {1});
  add_initializer(*initializers.mutable_graph(), "w", {2});
  expect_refused(initializers, ErrorKind::kModel, "initializer 'w'");
  pb::ModelProto nameless = relu_model();
  add_initializer(*nameless.mutable_graph(), "", {1});
  expect_refused(nameless, ErrorKind::kModel, "has no name");
}

TEST(OnnxGraph, ReadsTheTypesOfContainers) {
  pb::ModelProto model = relu_model();
  pb::TypeProto& type = *model.mutable_graph()->mutable_input(0)->mutable_type();
  pb::TypeProto& map = *type.mutable_optional_type()->mutable_elem_type()->mutable_sequence_type()->mutable_elem_type();
  map.mutable_map_type()->set_key_type(int32_t(DType::kString));
  pb::TypeProto& value = *map.mutable_map_type()->mutable_value_type();
  value.mutable_tensor_type()->set_elem_type(int32_t(DType::kFloat32));
  expect_refused(model, ErrorKind::kType, "input 0 must be a tensor, got optional(sequence(map(string,float32)))");
  value.mutable_sequence_type();
  expect_refused(model, ErrorKind::kUnsupported, "input 'x': maps hold tensors only");
  map.mutable_map_type()->set_key_type(int32_t(DType::kFloat32));
  expect_refused(model, ErrorKind::kModel, "input 'x': keys of a map");
}

TEST(OnnxGraph, RefusesInputsWithoutAKnownType) {
  pb::ModelProto endless = relu_model();
  pb::TypeProto* type = endless.mutable_graph()->mutable_input(0)->mutable_type();
  for (int i = 0; i < 20; ++i) type = type->mutable_sequence_type()->mutable_elem_type();
  expect_refused(endless, ErrorKind::kLimit, "input 'x': types nest deeper than 16");
  pb::ModelProto untyped = relu_model();
  untyped.mutable_graph()->mutable_input(0)->clear_type();
  expect_refused(untyped, ErrorKind::kModel, "input 'x': has no type");
  pb::ModelProto unknown = relu_model();
  unknown.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(9999);
  expect_refused(unknown, ErrorKind::kUnsupported, "input 'x': element type 9999");
}

TEST(OnnxGraph, KeepsToTheNodeLimit) {
  ModelOptions options;
  options.limits.nodes = 1;
  pb::ModelProto proto = relu_model();
  EXPECT_NO_THROW(load(proto, options));
  add_node(*proto.mutable_graph(), "Relu", {"y"}, {"z"});
  expect_error(ErrorKind::kLimit, "too many nodes", [&] { load(proto, options); });
}

}  // namespace
}  // namespace linnet::testing
