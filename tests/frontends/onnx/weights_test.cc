#include <gtest/gtest.h>

#include <thread>

#include "model_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Vector = std::vector<float>;

/// Returns y = (x * a + b) * (c + c); a is also an input.
pb::ModelProto model_of_three_weights(int64_t ir_version = 8) {
  pb::ModelProto model = empty_model();
  model.set_ir_version(ir_version);
  pb::GraphProto& graph = *model.mutable_graph();
  add_input(graph, "x");
  add_input(graph, "a");
  add_initializer(graph, "a", {2, 3});
  add_initializer(graph, "b", {10, 20});
  add_initializer(graph, "c", {0.5, 1});
  add_node(graph, "Mul", {"x", "a"}, {"xa"});
  add_node(graph, "Add", {"xa", "b"}, {"xab"});
  add_node(graph, "Add", {"c", "c"}, {"cc"});
  add_node(graph, "Mul", {"xab", "cc"}, {"y"});
  add_output(graph, "y");
  return model;
}

ModelOptions replaceable() {
  ModelOptions options;
  options.replaceable_weights = true;
  return options;
}

ModelOptions overridable() {
  ModelOptions options;
  options.overridable_initializers = true;
  return options;
}

Vector run(Context& context, const std::vector<Vector>& inputs) {
  std::vector<Tensor> tensors;
  for (const Vector& values : inputs) tensors.push_back(values.empty() ? Tensor() : Tensor::of(values));
  return floats(context.run(tensors)[0]);
}

Vector run(const Model& model, const std::vector<Vector>& inputs) {
  Context context(model);
  return run(context, inputs);
}

TEST(WithWeights, IsTheModelWithOtherContents) {
  const Model before = load(model_of_three_weights(), replaceable());
  Context serving(before);
  EXPECT_EQ(run(serving, {{1, 1}}), (Vector{12, 46}));
  const Model after = before.with_weights({{"b", Tensor::of<float>({0, 0})}, {"c", Tensor::of<float>({1, 1})}});
  EXPECT_EQ(run(serving, {{1, 1}}), (Vector{12, 46}));
  EXPECT_EQ(run(after, {{1, 1}}), (Vector{4, 6}));
  const Model again = after.with_weights({{"a", Tensor::of<float>({1, 1})}});
  EXPECT_EQ(run(again, {{1, 1}}), (Vector{2, 2}));
}

TEST(WithWeights, NeedsTheNamesTypesAndShapesOfTheFile) {
  const Model replaced = load(model_of_three_weights(), replaceable());
  const auto replace = [&](const char* name, const Tensor& tensor) {
    return [&replaced, name, tensor] { replaced.with_weights({{name, tensor}}); };
  };
  expect_error(ErrorKind::kModel, "no initializer 'd'", replace("d", Tensor::of<float>({1, 2})));
  expect_error(ErrorKind::kModel, "no initializer 'x'", replace("x", Tensor::of<float>({1, 2})));
  expect_error(ErrorKind::kModel, "no initializer 'xa'", replace("xa", Tensor::of<float>({1, 2})));
  expect_error(ErrorKind::kShape, "'b' is float32[2], not float32[1]", replace("b", Tensor::of<float>({1})));
  expect_error(ErrorKind::kType, "'b' is float32[2], not float64[2]", replace("b", Tensor::of<double>({1, 2})));
  expect_error(ErrorKind::kType, "'b' is float32[2]", replace("b", Tensor()));
  EXPECT_EQ(run(replaced, {{1, 1}}), (Vector{12, 46}));
  expect_error(ErrorKind::kUnsupported, "replaceable_weights", [] {
    load(model_of_three_weights()).with_weights({{"b", Tensor::of<float>({1, 2})}});
  });
}

TEST(WithWeights, ReachesBodies) {
  pb::ModelProto proto = empty_model();
  pb::GraphProto& graph = *proto.mutable_graph();
  add_input(graph, "x");
  set_type(*graph.add_input(), pb::TensorProto::BOOL, {});
  graph.mutable_input(1)->set_name("c");
  add_initializer(graph, "w", {2, 3});
  pb::NodeProto& node = add_node(graph, "If", {"c"}, {"y"});
  pb::GraphProto& then = add_body(node, "then_branch");
  add_node(then, "Add", {"x", "w"}, {"t"});
  add_output(then, "t");
  pb::GraphProto& other = add_body(node, "else_branch");
  add_initializer(other, "v", {5, 7});
  add_node(other, "Add", {"x", "v"}, {"e"});
  add_output(other, "e");
  add_output(graph, "y");
  const Model before = load(proto, replaceable());
  const Model after = before.with_weights({{"w", Tensor::of<float>({0, 1})}, {"v", Tensor::of<float>({8, 9})}});
  const auto run = [](const Model& model, bool c) {
    Context context(model);
    return floats(context.run(std::vector{Tensor::of<float>({1, 1}), Tensor::scalar(c)})[0]);
  };
  EXPECT_EQ(run(after, true), (Vector{1, 2}));
  EXPECT_EQ(run(after, false), (Vector{9, 10}));
  EXPECT_EQ(run(before, true), (Vector{3, 4}));
  EXPECT_EQ(run(before, false), (Vector{6, 8}));
}

TEST(WithWeights, MayBeCalledWhileTheModelRuns) {
  const Model first = load(model_of_three_weights(), replaceable());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&first, i] {
      const auto b = float(i);
      for (int j = 0; j < 20; ++j) {
        const Model own = first.with_weights({{"b", Tensor::of<float>({b, b})}});
        EXPECT_EQ(run(own, {{1, 1}}), (Vector{2 + b, (3 + b) * 2}));
        EXPECT_EQ(run(first, {{1, 1}}), (Vector{12, 46}));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(OverridableInitializers, AreConstantsUnlessAskedFor) {
  const Model constant = load(model_of_three_weights());
  EXPECT_EQ(constant.inputs().size(), 1u);
  EXPECT_EQ(constant.metadata().overridable.size(), 1u);
  expect_error(ErrorKind::kModel, "expected 1 inputs, got 2", [&] { run(constant, {{1, 1}, {1, 1}}); });
  EXPECT_TRUE(load(model_of_three_weights(3), overridable()).metadata().overridable.empty());
}

TEST(OverridableInitializers, AreInputsThatMayBeLeftOut) {
  const Model open = load(model_of_three_weights(), overridable());
  ASSERT_EQ(open.inputs().size(), 1u);
  ASSERT_EQ(open.metadata().overridable.size(), 1u);
  EXPECT_EQ(open.metadata().overridable[0].name, "a");
  Context context(open);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(run(context, {{1, 1}}), (Vector{12, 46}));
    EXPECT_EQ(run(context, {{1, 1}, {0, 0}}), (Vector{10, 40}));
    EXPECT_EQ(run(context, {{1, 1}, {}}), (Vector{12, 46}));
    EXPECT_EQ(floats(context.run({{"a", Tensor::of<float>({1, 1})}, {"x", Tensor::of<float>({1, 1})}})[0]),
              (Vector{11, 42}));
    EXPECT_EQ(floats(context.run({{"x", Tensor::of<float>({1, 1})}})[0]), (Vector{12, 46}));
  }
  expect_error(ErrorKind::kModel, "expected 1 inputs and up to 1 overridable initializers, got 3", [&] {
    run(context, {{1, 1}, {}, {1, 1}});
  });
  expect_error(ErrorKind::kModel, "got 0", [&] { run(context, {}); });
  expect_error(ErrorKind::kShape, "input 'a' must be float32[2]", [&] { run(context, {{1, 1}, {1, 2, 3}}); });
  expect_error(ErrorKind::kModel, "input 'x' is missing", [&] { context.run({{"a", Tensor::of<float>({1, 1})}}); });
}

TEST(OverridableInitializers, MayBeStatesThatBeginAsInTheFile) {
  const Model open = load(model_of_three_weights(), overridable());
  Context context(open);
  context.bind_state("y", "a", {});
  const std::vector<Tensor> x{Tensor::of<float>({1, 1})};
  EXPECT_EQ(floats(context.state("a")), (Vector{2, 3}));
  context.run(x);
  EXPECT_EQ(floats(context.state("a")), (Vector{12, 46}));
  Context other = context.fork();
  context.run({{"x", x[0]}});
  EXPECT_EQ(floats(context.state("a")), (Vector{22, 132}));
  EXPECT_EQ(floats(other.state("a")), (Vector{12, 46}));
  context.reset_states();
  EXPECT_EQ(floats(context.state("a")), (Vector{2, 3}));
  expect_error(ErrorKind::kModel, "input 'a' is a state", [&] { context.run({{"x", x[0]}, {"a", x[0]}}); });
  Context given(open);
  given.bind_state("y", "a", Tensor::of<float>({0, 0}));
  given.run(x);
  EXPECT_EQ(floats(given.state("a")), (Vector{10, 40}));
  expect_error(ErrorKind::kModel, "input 'x' is missing", [&] { Context(open).bind_state("y", "x", {}); });
}

TEST(OverridableInitializers, KeepTheirContentsInPreparedAndReplacedModels) {
  ModelOptions options = overridable();
  options.replaceable_weights = true;
  const Model open = load(model_of_three_weights(), options);
  Context context(open);
  context.prepare(std::vector{Shape{2}});
  EXPECT_EQ(run(context, {{1, 1}}), (Vector{12, 46}));
  EXPECT_EQ(run(open.with_weights({{"a", Tensor::of<float>({0, 0})}}), {{1, 1}}), (Vector{10, 40}));
  EXPECT_EQ(run(load(model_of_three_weights(), overridable()).specialized(std::vector{Tensor::of<float>({1, 1})}),
                {{1, 1}, {0, 0}}),
            (Vector{10, 40}));
}

TEST(OverridableInitializers, HaveTheTypeThatTheyAreDeclaredWith) {
  pb::ModelProto wrong = model_of_three_weights();
  set_type(*wrong.mutable_graph()->mutable_input(1), pb::TensorProto::FLOAT, {3});
  expect_error(ErrorKind::kModel, "initializer 'a'", [&] { load(wrong, overridable()); });
  wrong = model_of_three_weights();
  add_initializer(*wrong.mutable_graph(), "a", {1, 1});
  expect_error(ErrorKind::kModel, "'a'", [&] { load(wrong, overridable()); });
}

}  // namespace
}  // namespace linnet::testing
