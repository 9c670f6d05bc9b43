#include <gtest/gtest.h>

#include "model_builder.h"
#include "support/run_op.h"

// Tests ModelOptions::initializers, alone and with other options.
namespace linnet::testing {
namespace {

using Vector = std::vector<float>;
using Contents = std::map<std::string, Tensor>;

void add_condition(pb::ModelProto& model) {
  pb::TensorProto& tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name("yes");
  tensor.set_data_type(pb::TensorProto::BOOL);
  tensor.add_int32_data(1);
}

/// Returns y = x * a + b. a is also an input. b is added in a branch, which has a separate initializer `own` of value
/// 0.
pb::ModelProto model_with_body() {
  pb::ModelProto model = empty_model();
  pb::GraphProto& graph = *model.mutable_graph();
  add_input(graph, "x");
  add_input(graph, "a");
  add_initializer(graph, "a", {2, 3});
  add_initializer(graph, "b", {10, 20});
  add_condition(model);
  add_node(graph, "Mul", {"x", "a"}, {"xa"});
  pb::NodeProto& branches = add_node(graph, "If", {"yes"}, {"y"});
  for (const std::string name : {"then_branch", "else_branch"}) {
    pb::GraphProto& body = add_body(branches, name);
    add_initializer(body, "own", {0, 0});
    add_node(body, "Add", {"xa", "b"}, {name + "_sum"});
    add_node(body, "Add", {name + "_sum", "own"}, {name + "_y"});
    add_output(body, name + "_y");
  }
  add_output(graph, "y");
  return model;
}

ModelOptions giving(const Contents& contents, int optimization = 2) {
  ModelOptions options;
  options.optimization = optimization;
  options.initializers = [contents](const std::string& name) {
    const auto found = contents.find(name);
    return found == contents.end() ? Tensor() : found->second;
  };
  return options;
}

Vector run(const Model& model, const std::vector<Tensor>& inputs = {Tensor::of<float>({1, 2})}) {
  return floats(Context(model).run(inputs)[0]);
}

class GivenInitializers : public ::testing::TestWithParam<int> {};

TEST_P(GivenInitializers, TakeThePlaceOfTheFilesInBodiesToo) {
  const pb::ModelProto model = model_with_body();
  EXPECT_EQ(run(load(model, giving({}, GetParam()))), (Vector{12, 26}));
  EXPECT_EQ(run(load(model, giving({{"b", Tensor::of<float>({1, 1})}}, GetParam()))), (Vector{3, 7}));
  const Contents both{{"a", Tensor::of<float>({5, 5})}, {"b", Tensor::of<float>({1, 1})}};
  EXPECT_EQ(run(load(model, giving(both, GetParam()))), (Vector{6, 11}));
}

INSTANTIATE_TEST_SUITE_P(Optimization, GivenInitializers, ::testing::Values(0, 2));

TEST(GivenInitializers, OfBodiesAreNotAskedFor) {
  std::vector<std::string> asked;
  ModelOptions options;
  options.initializers = [&](const std::string& name) {
    asked.push_back(name);
    return Tensor();
  };
  load(model_with_body(), options);
  EXPECT_EQ(asked, (std::vector<std::string>{"a", "b", "yes"}));
}

TEST(GivenInitializers, MayBeReplacedOnceMore) {
  ModelOptions options = giving({{"b", Tensor::of<float>({1, 1})}});
  options.replaceable_weights = true;
  const Model model = load(model_with_body(), options);
  EXPECT_EQ(run(model), (Vector{3, 7}));
  EXPECT_EQ(run(model.with_weights({{"b", Tensor::of<float>({2, 2})}})), (Vector{4, 8}));
  EXPECT_EQ(run(model.with_weights({{"a", Tensor::of<float>({1, 1})}})), (Vector{2, 3})) << "b stays as given";
}

TEST(GivenInitializers, AreTheDefaultsOfOverridableOnes) {
  ModelOptions options = giving({{"a", Tensor::of<float>({5, 5})}});
  options.overridable_initializers = true;
  const Model model = load(model_with_body(), options);
  EXPECT_EQ(run(model), (Vector{15, 30}));
  EXPECT_EQ(run(model, {Tensor::of<float>({1, 2}), Tensor::of<float>({1, 1})}), (Vector{11, 22}));
  EXPECT_EQ(run(model), (Vector{15, 30}));
}

TEST(GivenInitializers, SpareTheFilesOfExternalData) {
  pb::ModelProto model = model_with_body();
  pb::TensorProto& tensor = *model.mutable_graph()->mutable_initializer(1);
  tensor.clear_float_data();
  tensor.set_data_location(pb::TensorProto::EXTERNAL);
  pb::StringStringEntryProto& entry = *tensor.add_external_data();
  entry.set_key("location");
  entry.set_value("there_is_no_such_file");
  expect_error(ErrorKind::kModel, "there_is_no_such_file", [&] { load(model, giving({})); });
  EXPECT_EQ(run(load(model, giving({{"b", Tensor::of<float>({1, 1})}}))), (Vector{3, 7}));
}

TEST(GivenInitializers, MustHaveTheDtypeAndShapeOfTheFile) {
  const auto give = [](const Tensor& tensor) { load(model_with_body(), giving({{"b", tensor}})); };
  expect_error(ErrorKind::kShape, "initializer 'b' is float32[2]", [&] { give(Tensor::of<float>({1, 2, 3})); });
  expect_error(ErrorKind::kType, "initializer 'b' is float32[2]", [&] { give(Tensor::of<int64_t>({1, 2})); });
}

TEST(GivenInitializers, PassOnWhatTheFunctionThrows) {
  ModelOptions options;
  options.initializers = [](const std::string& name) -> Tensor {
    throw Error(ErrorKind::kIo, "no contents for " + name);
  };
  expect_error(ErrorKind::kIo, "no contents for a", [&] { load(model_with_body(), options); });
}

TEST(GivenInitializers, AreSavedWithTheModel) {
  const Model model = load(model_with_body(), giving({{"b", Tensor::of<float>({1, 1})}}));
  EXPECT_EQ(run(load_bytes(save_onnx_bytes(model))), (Vector{3, 7}));
}

}  // namespace
}  // namespace linnet::testing
