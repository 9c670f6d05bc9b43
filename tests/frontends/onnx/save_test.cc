#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "graph/graph.h"
#include "model_builder.h"
#include "run/model_graph.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

using ::testing::ElementsAre;

pb::ModelProto saved(const Model& model) {
  pb::ModelProto proto;
  EXPECT_TRUE(proto.ParseFromString(save_onnx_bytes(model)));
  return proto;
}

pb::ModelProto saved(const pb::ModelProto& proto) { return saved(load_as_written(proto)); }

void declare(pb::GraphProto& graph, const std::string& input, int32_t type) {
  add_input(graph, input, {});
  set_type(*graph.mutable_input(graph.input_size() - 1), type, {});
}

void fill_branch(pb::GraphProto& body, const std::string& op_type, const std::vector<std::string>& inputs) {
  add_node(body, op_type, inputs, {"result"});
  add_output(body, "result");
}

TEST(OnnxSave, InterfaceKeepsItsNamesTypesAndSymbols) {
  pb::ModelProto proto = empty_model();
  add_input(*proto.mutable_graph(), "x", {0, 3});
  pb::TensorShapeProto& shape =
      *proto.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
  shape.mutable_dim(0)->set_dim_param("N");
  add_node(*proto.mutable_graph(), "Relu", {"x"}, {"y"});
  add_output(*proto.mutable_graph(), "y");
  const Model again = load(saved(proto));
  EXPECT_EQ(str(again.inputs()[0].name, " ", again.inputs()[0].fact), "x float32[N,3]");
  EXPECT_EQ(str(again.outputs()[0].name, " ", again.outputs()[0].fact), "y float32[N,3]");
}

TEST(OnnxSave, NodesOfOneNameGetTheirOwn) {
  pb::ModelProto proto = empty_model();
  add_input(*proto.mutable_graph(), "x");
  add_node(*proto.mutable_graph(), "Neg", {"x"}, {"a"});
  add_node(*proto.mutable_graph(), "Neg", {"a"}, {"b"});
  add_output(*proto.mutable_graph(), "b");
  for (pb::NodeProto& node : *proto.mutable_graph()->mutable_node()) node.set_name("same");
  const pb::ModelProto again = saved(proto);
  EXPECT_EQ(again.graph().node(0).name(), "same");
  EXPECT_EQ(again.graph().node(1).name(), "same_2");
}

TEST(OnnxSave, OutputsMayBeInputsConstantsAndEachOther) {
  pb::ModelProto proto = empty_model();
  pb::GraphProto& graph = *proto.mutable_graph();
  add_input(graph, "x");
  add_initializer(graph, "w", {3, 4});
  add_node(graph, "Identity", {"x"}, {"same"});
  add_node(graph, "Identity", {"w"}, {"constant"});
  add_node(graph, "Neg", {"x"}, {"a"});
  add_node(graph, "Neg", {"x"}, {"b"});
  for (const char* name : {"same", "x", "constant", "a", "b"}) add_output(graph, name);
  const pb::ModelProto again = saved(load(proto));
  EXPECT_EQ(again.graph().output(4).name(), "b");
  Context context(load_as_written(again));
  const auto outputs = context.run(std::vector{Tensor::of<float>({1, 2})});
  ASSERT_EQ(outputs.size(), 5u);
  EXPECT_THAT(floats(outputs[0]), ElementsAre(1, 2));
  EXPECT_THAT(floats(outputs[1]), ElementsAre(1, 2));
  EXPECT_THAT(floats(outputs[2]), ElementsAre(3, 4));
  EXPECT_THAT(floats(outputs[3]), ElementsAre(-1, -2));
  EXPECT_THAT(floats(outputs[4]), ElementsAre(-1, -2));
}

TEST(OnnxSave, InnerValuesGiveWayToTheNamesOfTheInterface) {
  Graph graph(std::make_shared<const Registry>(standard_registry()));
  NodeSpec spec;
  spec.op_type = "Add";
  spec.opset = 17;
  const ValueId x = graph.add_input("x", Fact(DType::kFloat32, Shape{2}));
  const ValueId c = graph.add_constant("y", Tensor::of<float>({10, 20}));
  const ValueId sum = graph.node(graph.add_node(spec, {x, c}, {"x"})).outputs[0];
  graph.add_output("y", graph.node(graph.add_node(spec, {sum, c}, {"z"})).outputs[0]);
  const Model again = load_as_written(saved(make_model(std::move(graph), {})));
  EXPECT_EQ(again.inputs()[0].name, "x");
  EXPECT_EQ(again.outputs()[0].name, "y");
  Context context(again);
  EXPECT_THAT(floats(context.run(std::vector{Tensor::of<float>({1, 2})})[0]), ElementsAre(21, 42));
}

TEST(OnnxSave, EveryDtypeKeepsItsBytes) {
  for (int32_t type = int32_t(DType::kFloat32); type <= int32_t(kLastElementType); ++type) {
    const auto dtype = DType(type);
    if (dtype == DType::kString) continue;
    // All values of a byte, and only 0 and 1 for bools.
    Tensor w(dtype, {256});
    const int values = dtype == DType::kBool ? 2 : 256;
    for (size_t i = 0; i < w.bytes(); ++i) static_cast<unsigned char*>(w.raw())[i] = uint8_t(int(i * 37) % values);
    Graph graph(std::make_shared<const Registry>(standard_registry()));
    graph.add_output("w", graph.add_constant("w", w));
    const Model again = load_as_written(saved(make_model(std::move(graph), {})));
    EXPECT_TRUE(identical(model_graph(again).fact(model_graph(again).outputs()[0].value).constant, w)) << dtype;
  }
}

TEST(OnnxSave, StringsAndEmptyTensorsSurvive) {
  Graph graph(std::make_shared<const Registry>(standard_registry()));
  const Tensor text = Tensor::of<std::string>({"", std::string("a\0b", 3), "\xff"}), empty(DType::kFloat32, {2, 0});
  graph.add_output("text", graph.add_constant("text", text));
  graph.add_output("empty", graph.add_constant("empty", empty));
  const Model again = load_as_written(saved(make_model(std::move(graph), {})));
  EXPECT_TRUE(identical(model_graph(again).fact(model_graph(again).outputs()[0].value).constant, text));
  EXPECT_TRUE(identical(model_graph(again).fact(model_graph(again).outputs()[1].value).constant, empty));
}

TEST(OnnxSave, AConstantThatSeveralBodiesReadIsWrittenOnce) {
  pb::ModelProto proto = empty_model();
  declare(*proto.mutable_graph(), "cond", pb::TensorProto::BOOL);
  add_input(*proto.mutable_graph(), "x");
  add_initializer(*proto.mutable_graph(), "w", {10, 20});
  add_node(*proto.mutable_graph(), "Mul", {"x", "w"}, {"m"});
  pb::NodeProto& node = add_node(*proto.mutable_graph(), "If", {"cond"}, {"y"});
  fill_branch(add_body(node, "then_branch"), "Add", {"m", "w"});
  fill_branch(add_body(node, "else_branch"), "Sub", {"m", "w"});
  add_output(*proto.mutable_graph(), "y");
  const pb::ModelProto again = saved(load(proto));
  EXPECT_EQ(again.graph().initializer_size(), 1);
  for (const pb::AttributeProto& attribute : again.graph().node(1).attribute()) {
    EXPECT_EQ(attribute.g().initializer_size(), 0);
  }
  for (const bool cond : {true, false}) {
    Context context(load(again));
    const auto outputs = context.run(std::vector{Tensor::scalar(cond), Tensor::of<float>({1, 2})});
    EXPECT_THAT(floats(outputs[0]), cond ? ElementsAre(20, 60) : ElementsAre(0, 20));
  }
}

TEST(OnnxSave, EveryKindOfAttributeSurvives) {
  pb::ModelProto proto = empty_model();
  add_input(*proto.mutable_graph(), "x");
  pb::NodeProto& node = add_node(*proto.mutable_graph(), "Neg", {"x"}, {"y"});
  add_attribute(node, "f", pb::AttributeProto::FLOAT).set_f(0.1f);
  add_attribute(node, "i", pb::AttributeProto::INT).set_i(-7);
  add_attribute(node, "s", pb::AttributeProto::STRING).set_s("text");
  add_attribute(node, "fs", pb::AttributeProto::FLOATS).add_floats(0.5f);
  add_attribute(node, "is", pb::AttributeProto::INTS).add_ints(9);
  add_attribute(node, "none", pb::AttributeProto::INTS);
  add_attribute(node, "ss", pb::AttributeProto::STRINGS).add_strings("one");
  pb::TensorProto& tensor = *add_attribute(node, "t", pb::AttributeProto::TENSOR).mutable_t();
  tensor.set_data_type(pb::TensorProto::INT64);
  tensor.add_int64_data(5);
  *add_attribute(node, "ts", pb::AttributeProto::TENSORS).add_tensors() = tensor;
  add_output(*proto.mutable_graph(), "y");
  const Model again = load_as_written(saved(proto));
  const NodeSpec& spec = model_graph(again).node(model_graph(again).nodes()[0]).spec;
  EXPECT_EQ(spec.attributes.size(), 9u);
  EXPECT_EQ(spec.attr<float>("f"), 0.1f);
  EXPECT_EQ(spec.attr<int64_t>("i"), -7);
  EXPECT_EQ(spec.attr<std::string>("s"), "text");
  EXPECT_THAT(spec.attr<std::vector<float>>("fs"), ElementsAre(0.5f));
  EXPECT_THAT(spec.attr<std::vector<int64_t>>("is"), ElementsAre(9));
  EXPECT_TRUE(spec.attr<std::vector<int64_t>>("none").empty());
  EXPECT_THAT(spec.attr<std::vector<std::string>>("ss"), ElementsAre("one"));
  EXPECT_EQ(*spec.attr<Tensor>("t").data<int64_t>(), 5);
  EXPECT_EQ(*spec.attr<std::vector<Tensor>>("ts")[0].data<int64_t>(), 5);
}

// Returns y = cond ? a - b : b. One branch captures a. Both capture b, which is one branch's output unchanged.
pb::ModelProto branching_model() {
  pb::ModelProto proto = empty_model();
  pb::GraphProto& graph = *proto.mutable_graph();
  declare(graph, "cond", pb::TensorProto::BOOL);
  add_input(graph, "a");
  add_input(graph, "b");
  pb::NodeProto& node = add_node(graph, "If", {"cond"}, {"y"});
  fill_branch(add_body(node, "then_branch"), "Sub", {"a", "b"});
  add_output(add_body(node, "else_branch"), "b");
  add_output(graph, "y");
  return proto;
}

std::vector<float> run_branch(const pb::ModelProto& proto, bool cond) {
  Context context(load(proto));
  return floats(
      context.run(std::vector{Tensor::scalar(cond), Tensor::of<float>({5, 6}), Tensor::of<float>({1, 3})})[0]);
}

TEST(OnnxSave, CapturesBecomeNamesOfTheGraphAround) {
  const pb::ModelProto again = saved(branching_model());
  const pb::NodeProto& node = again.graph().node(0);
  ASSERT_EQ(node.op_type(), "If");
  EXPECT_EQ(node.input_size(), 1);
  for (const pb::AttributeProto& branch : node.attribute()) EXPECT_EQ(branch.g().input_size(), 0);
  EXPECT_THAT(run_branch(again, true), ElementsAre(4, 3));
  EXPECT_THAT(run_branch(again, false), ElementsAre(1, 3));
}

TEST(OnnxSave, BodiesNestAndCountTheirOwnInputs) {
  pb::ModelProto proto = empty_model();
  pb::GraphProto& graph = *proto.mutable_graph();
  declare(graph, "m", pb::TensorProto::INT64);
  declare(graph, "cond", pb::TensorProto::BOOL);
  add_input(graph, "x");
  add_input(graph, "step");
  pb::NodeProto& loop = add_node(graph, "Loop", {"m", "", "x"}, {"y", "rows"});
  pb::GraphProto& body = add_body(loop, "body");
  for (const char* name : {"i", "keep", "x"}) body.add_input()->set_name(name);
  pb::NodeProto& inner = add_node(body, "If", {"cond"}, {"next"});
  fill_branch(add_body(inner, "then_branch"), "Add", {"x", "step"});
  fill_branch(add_body(inner, "else_branch"), "Sub", {"x", "step"});
  for (const char* name : {"keep", "next", "next"}) add_output(body, name);
  for (const char* name : {"y", "rows"}) add_output(graph, name);
  for (const Model& model : {load_as_written(saved(proto)), load(saved(load(proto)))}) {
    Context context(model);
    const auto outputs = context.run(std::vector{Tensor::scalar(int64_t{2}), Tensor::scalar(true),
                                                 Tensor::of<float>({0, 1}), Tensor::of<float>({1, 10})});
    EXPECT_THAT(floats(outputs[0]), ElementsAre(2, 21));
    EXPECT_THAT(floats(outputs[1]), ElementsAre(1, 11, 2, 21));
  }
}

// In a model of opset 17, a function of opset 11 contains Softmax, which then normalises over all dims from axis 1 on.
TEST(OnnxSave, NodesOfAnotherOpsetKeepTheirMeaning) {
  pb::ModelProto proto = empty_model(17);
  add_import(proto, "my", 1);
  pb::FunctionProto& function = *proto.add_functions();
  function.set_domain("my");
  function.set_name("old_softmax");
  function.add_input("x");
  function.add_output("y");
  function.add_opset_import()->set_version(11);
  add_node(function, "Softmax", {"x"}, {"y"});
  pb::GraphProto& graph = *proto.mutable_graph();
  add_input(graph, "x", {1, 2, 2});
  add_node(graph, "old_softmax", {"x"}, {"old"}).set_domain("my");
  add_node(graph, "Softmax", {"x"}, {"new"});
  add_node(graph, "Add", {"old", "new"}, {"y"});
  add_output(graph, "y");
  const pb::ModelProto again = saved(proto);
  EXPECT_EQ(again.functions_size(), 1);
  Context context(load(again));
  const Tensor x(DType::kFloat32, {1, 2, 2});
  std::memset(const_cast<void*>(x.raw()), 0, x.bytes());
  EXPECT_THAT(floats(context.run(std::vector{x})[0]), ElementsAre(0.75f, 0.75f, 0.75f, 0.75f));
}

TEST(OnnxSave, BodiesOfAnotherOpsetSeeTheirCaptures) {
  pb::ModelProto proto = branching_model();
  add_import(proto, "my", 1);
  pb::FunctionProto& function = *proto.add_functions();
  function.set_domain("my");
  function.set_name("branch");
  for (const char* name : {"cond", "a", "b"}) function.add_input(name);
  function.add_output("y");
  function.add_opset_import()->set_version(11);
  function.mutable_node()->Swap(proto.mutable_graph()->mutable_node());
  pb::GraphProto& graph = *proto.mutable_graph();
  add_node(graph, "branch", {"cond", "a", "b"}, {"c"}).set_domain("my");
  for (const char* name : {"d", "e", "y"}) add_node(graph, "Neg", {"c"}, {name});
  add_output(graph, "d");
  add_output(graph, "e");
  const pb::ModelProto again = saved(proto);
  EXPECT_EQ(again.functions_size(), 1);
  EXPECT_THAT(run_branch(again, true), ElementsAre(-4, -3));
  EXPECT_THAT(run_branch(again, false), ElementsAre(-1, -3));
}

TEST(OnnxSave, ReportsWhatItCannotWrite) {
  const Model model = load(branching_model());
  expect_error(ErrorKind::kIo, "cannot write '/nowhere/m.onnx'", [&] { save_onnx(model, "/nowhere/m.onnx"); });
}

TEST(OnnxSave, RefusesAModelWhoseWeightsWereFreed) {
  GraphBuilder b;
  const ValueId x = b.input("x", Shape{1, 32, 8, 8});
  b.output(b.op("Conv", {x, b.constant(random_tensor({64, 32, 3, 3}))}));
  const std::vector<Tensor> inputs{random_tensor({1, 32, 8, 8})};
  const Model model = b.model().specialized(inputs);
  expect_error(ErrorKind::kUnsupported, "were freed when the model was specialized", [&] { save_onnx_bytes(model); });
}

}  // namespace
}  // namespace linnet::testing
