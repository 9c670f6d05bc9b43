#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model_builder.h"

namespace linnet::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

pb::TensorShapeProto& shape_of(pb::ValueInfoProto& value) {
  return *value.mutable_type()->mutable_tensor_type()->mutable_shape();
}

/// Returns y = x + w of float32[2,3]. x, y, and w, which may be replaced, have denotations.
pb::ModelProto denoted_model() {
  pb::ModelProto model = empty_model();
  pb::GraphProto& graph = *model.mutable_graph();
  add_input(graph, "x", {2, 3});
  add_input(graph, "w", {3});
  add_initializer(graph, "w", {1, 2, 3});
  add_node(graph, "Add", {"x", "w"}, {"y"});
  add_output(graph, "y");
  set_type(*graph.mutable_output(0), pb::TensorProto::FLOAT, {2, 3});
  graph.mutable_input(0)->mutable_type()->set_denotation("IMAGE");
  shape_of(*graph.mutable_input(0)).mutable_dim(1)->set_denotation("DATA_CHANNEL");
  graph.mutable_input(1)->mutable_type()->set_denotation("WEIGHT");
  shape_of(*graph.mutable_output(0)).mutable_dim(0)->set_denotation("DATA_BATCH");
  return model;
}

void expect_denotations(const Model& model) {
  const Denotation &x = model.inputs()[0].denotation, &y = model.outputs()[0].denotation;
  EXPECT_EQ(x.type, "IMAGE");
  EXPECT_THAT(x.dims, ElementsAre("", "DATA_CHANNEL"));
  EXPECT_EQ(model.metadata().overridable[0].denotation.type, "WEIGHT");
  EXPECT_EQ(y.type, "");
  EXPECT_THAT(y.dims, ElementsAre("DATA_BATCH", ""));
}

TEST(OnnxDenotation, IsKeptAndSaved) {
  ModelOptions options;
  options.overridable_initializers = true;
  const Model model = load(denoted_model(), options);
  expect_denotations(model);
  const std::string bytes = save_onnx_bytes(model);
  pb::ModelProto saved;
  ASSERT_TRUE(saved.ParseFromString(bytes));
  EXPECT_EQ(saved.graph().input(0).type().denotation(), "IMAGE");
  EXPECT_EQ(saved.graph().input(1).type().denotation(), "WEIGHT");
  EXPECT_EQ(saved.graph().output(0).type().tensor_type().shape().dim(0).denotation(), "DATA_BATCH");
}

TEST(OnnxDenotation, StaysWhereAModelIsSpecialized) {
  expect_denotations(load(denoted_model()).specialized(std::vector{Tensor(DType::kFloat32, {2, 3})}));
}

TEST(OnnxDenotation, IsEmptyWhereTheModelSaysNothing) {
  pb::ModelProto proto = empty_model();
  add_input(*proto.mutable_graph(), "x");
  add_node(*proto.mutable_graph(), "Relu", {"x"}, {"y"});
  add_output(*proto.mutable_graph(), "y");
  const Denotation denotation = load(proto).inputs()[0].denotation;
  EXPECT_EQ(denotation.type, "");
  EXPECT_THAT(denotation.dims, IsEmpty());
}

}  // namespace
}  // namespace linnet::testing
