#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>

#include "ops/controlflow/scalar_facts.h"
#include "passes/passes.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

using GraphPtr = std::shared_ptr<const Graph>;

const Fact kVector(DType::kFloat32, Dims{Dim("N")});

Tensor floats(const std::vector<float>& values) { return Tensor::of(values); }

// Returns a body that captures one value and applies an operator to it.
GraphPtr unary_branch(const std::string& op_type) {
  GraphBuilder b;
  b.output(b.op(op_type, {b.input("captured", kVector)}));
  return b.shared();
}

TEST(If, RunsTheBranchThatTheConditionNames) {
  GraphBuilder b;
  const ValueId cond = b.input("cond", kScalarBool), x = b.input("x", kVector);
  b.output(b.ops("If", {cond, x}, 1, {{"then_branch", unary_branch("Neg")}, {"else_branch", unary_branch("Abs")}}, "",
                 1)[0]);
  const Model model = b.model();
  expect_close(run_model(model, {Tensor::scalar(true), floats({-1, 2})})[0], floats({1, -2}));
  expect_close(run_model(model, {Tensor::scalar(false), floats({-1, 2})})[0], floats({1, 2}));
}

/// Observes the tensor after a node.
class Onlooker final : public Observer {
 public:
  Onlooker(std::string op_type, Tensor at) : op_type_(std::move(op_type)), at_(std::move(at)) {}
  void on_node(const NodeEvent& event) override {
    if (event.node.op_type == op_type_) seen = at_.clone();
  }

  Tensor seen;

 private:
  std::string op_type_;
  Tensor at_;
};

TEST(If, ComputesInTheMemoryThatIsGivenForItsOutput) {
  GraphBuilder through;
  through.output(through.input("captured", kVector));
  GraphBuilder b;
  const ValueId cond = b.input("cond", kScalarBool), x = b.input("x", kVector);
  const ValueId y =
      b.ops("If", {cond, x}, 1, {{"then_branch", unary_branch("Neg")}, {"else_branch", through.shared()}}, "", 1)[0];
  b.output(y);
  b.output(b.op("Exp", {y}));
  Context context(b.model());
  for (const bool negates : {true, false}) {
    const std::vector<Tensor> given{floats({7, 7})};
    const auto onlooker = std::make_shared<Onlooker>("Exp", given[0]);
    const std::vector<Tensor> inputs{Tensor::scalar(negates), floats({1, 2})};
    const auto outputs = context.run(inputs, {.outputs = given, .observer = onlooker});
    EXPECT_EQ(outputs[0].raw(), given[0].raw());
    for (const Tensor& y_seen : {given[0], onlooker->seen}) {
      expect_close(y_seen, negates ? floats({-1, -2}) : floats({1, 2}));
    }
    const auto own = context.run(inputs);
    EXPECT_NE(own[0].raw(), given[0].raw());
    expect_close(own[0], given[0]);
    const std::vector<Tensor> unfit{floats({7})};
    expect_error(ErrorKind::kShape, "the memory for it is", [&] { context.run(inputs, {.outputs = unfit}); });
  }
}

TEST(If, BranchesMayDifferInShape) {
  GraphBuilder whole;
  whole.output(whole.op("Identity", {whole.input("captured", kVector)}));
  GraphBuilder sum;
  sum.output(sum.op("ReduceSum", {sum.input("captured", kVector)}, {{"keepdims", int64_t{1}}}));
  GraphBuilder b;
  const ValueId cond = b.input("cond", kScalarBool), x = b.input("x", kVector);
  const ValueId y =
      b.ops("If", {cond, x}, 1, {{"then_branch", whole.shared()}, {"else_branch", sum.shared()}}, "", 1)[0];
  b.output(b.op("Add", {y, y}));
  Context context(b.model());
  for (int round = 0; round < 2; ++round) {
    const std::vector<Tensor> whole_in{Tensor::scalar(true), floats({1, 2, 3})};
    expect_close(context.run(whole_in)[0], floats({2, 4, 6}));
    const std::vector<Tensor> sum_in{Tensor::scalar(false), floats({1, 2, 3})};
    expect_close(context.run(sum_in)[0], floats({12}));
  }
}

class NeverFits final : public Op {
 public:
  explicit NeverFits(int& inferred) : inferred_(inferred) {}
  std::vector<Fact> infer(std::span<const Fact>) const override {
    ++inferred_;
    throw Error(ErrorKind::kShape, "never fits");
  }
  KernelPtr compile(const CompileInput&) const override { return nullptr; }

 private:
  int& inferred_;
};

// Returns a body with a node that never fits. With a depth, the body is an If: one branch has such a node, the other
// such an If of a depth less.
GraphPtr unfit_branch(const std::shared_ptr<Registry>& registry, int depth) {
  auto graph = std::make_shared<Graph>(registry);
  const ValueId cond = graph->add_input("cond", kScalarBool);
  NodeSpec spec{.op_type = "NeverFits", .name = "node", .opset = 17};
  std::vector<ValueId> inputs{cond};
  if (depth > 0) {
    spec.op_type = "If";
    spec.captures = 1;
    spec.attributes = {{"then_branch", unfit_branch(registry, depth - 1)}, {"else_branch", unfit_branch(registry, 0)}};
    inputs.push_back(cond);
  }
  graph->add_output("y", graph->node(graph->add_node(spec, inputs, {"y"})).outputs[0]);
  return graph;
}

TEST(If, InfersEachBranchOnceHoweverDeepItLies) {
  int inferred = 0;
  const auto registry = std::make_shared<Registry>(standard_registry());
  registry->add("NeverFits", {}, [&](const NodeSpec&) { return std::make_unique<NeverFits>(inferred); });
  Graph graph = *unfit_branch(registry, 10);
  expect_error(ErrorKind::kShape, "never fits", [&] { propagate_facts(graph, *std::make_shared<ModelResources>()); });
  EXPECT_EQ(inferred, 11);
}

// Returns a body with x_{i+1} = x_i + step that stops after `limit` iterations. The scan output is x_i.
GraphPtr counting_body() {
  GraphBuilder b;
  const ValueId iteration = b.input("i", kScalarInt);
  b.input("cond", kScalarBool);
  const ValueId x = b.input("x", kVector), step = b.input("step", kVector), limit = b.input("limit", kScalarInt);
  b.output(b.op("Less", {iteration, limit}));
  b.output(b.op("Add", {x, step}));
  b.output(b.op("Identity", {x}));
  return b.shared();
}

Model counting_loop(bool with_trips) {
  GraphBuilder b;
  const ValueId trips = with_trips ? b.input("M", kScalarInt) : kNoValue;
  const ValueId x = b.input("x", kVector), step = b.input("step", kVector), limit = b.input("limit", kScalarInt);
  const auto outputs = b.ops("Loop", {trips, kNoValue, x, step, limit}, 2, {{"body", counting_body()}}, "", 2);
  b.output(outputs[0]);
  b.output(outputs[1]);
  return b.model();
}

TEST(Loop, CarriesValuesAndStacksScanOutputs) {
  const auto y = run_model(counting_loop(true),
                           {Tensor::scalar<int64_t>(4), floats({0, 10}), floats({1, 2}), Tensor::scalar<int64_t>(100)});
  expect_close(y[0], floats({4, 18}));
  expect_close(y[1], Tensor::of({4, 2}, std::vector<float>{0, 10, 1, 12, 2, 14, 3, 16}));
}

TEST(Loop, StopsWhenTheConditionFails) {
  const auto y = run_model(counting_loop(false), {floats({0}), floats({1}), Tensor::scalar<int64_t>(2)});
  expect_close(y[0], floats({3}));
}

TEST(Loop, WithoutAnIterationGivesTheInitialValues) {
  const auto y = run_model(counting_loop(true),
                           {Tensor::scalar<int64_t>(0), floats({5, 6}), floats({1, 2}), Tensor::scalar<int64_t>(100)});
  expect_close(y[0], floats({5, 6}));
  EXPECT_EQ(y[1].shape()[0], 0);
}

// Carried values may swap places and grow.
TEST(Loop, ValuesMaySwapAndChangeShape) {
  GraphBuilder body;
  body.input("i", kScalarInt);
  const ValueId cond = body.input("cond", kScalarBool), a = body.input("a", kVector), c = body.input("c", kVector);
  body.output(body.op("Identity", {cond}));
  body.output(c);
  body.output(body.op("Concat", {a, c}, {{"axis", int64_t{0}}}));
  GraphBuilder b;
  const ValueId trips = b.input("M", kScalarInt), x = b.input("x", kVector), y = b.input("y", kVector);
  const auto outputs = b.ops("Loop", {trips, kNoValue, x, y}, 2, {{"body", body.shared()}});
  b.output(outputs[0]);
  b.output(outputs[1]);
  const auto results = run_model(b.model(), {Tensor::scalar<int64_t>(4), floats({1}), floats({2})});
  expect_close(results[0], floats({1, 2, 2, 1, 2}));
  expect_close(results[1], floats({2, 1, 2, 1, 2, 2, 1, 2}));
}

TEST(Scan, AccumulatesAlongAnAxisInEitherDirection) {
  for (const int64_t reverse : {0, 1}) {
    GraphBuilder body;
    const ValueId sum = body.input("sum", kVector), element = body.input("element", kVector);
    const ValueId next = body.op("Add", {sum, element});
    body.output(next);
    body.output(body.op("Identity", {next}));
    GraphBuilder b;
    const ValueId start = b.input("start", Shape{2}), x = b.input("x", Shape{2, 3});
    const auto outputs = b.ops("Scan", {start, x}, 2,
                               {{"body", body.shared()},
                                {"num_scan_inputs", int64_t{1}},
                                {"scan_input_axes", std::vector<int64_t>{1}},
                                {"scan_input_directions", std::vector<int64_t>{reverse}},
                                {"scan_output_axes", std::vector<int64_t>{-1}}});
    b.output(outputs[0]);
    b.output(outputs[1]);
    const auto y = run_model(b.model(), {floats({0, 0}), Tensor::of({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6})});
    expect_close(y[0], floats({6, 15}));
    const auto expected = reverse ? std::vector<float>{3, 5, 6, 6, 11, 15} : std::vector<float>{1, 3, 6, 4, 9, 15};
    expect_close(y[1], Tensor::of({2, 3}, expected));
  }
}

TEST(Scan, TakesRowsInPlaceInEitherDirection) {
  for (const int64_t reverse : {0, 1}) {
    GraphBuilder body;
    const ValueId sum = body.input("sum", kVector), row = body.input("row", kVector);
    const ValueId next = body.op("Add", {sum, row});
    body.output(next);
    body.output(body.op("Neg", {row}));
    GraphBuilder b;
    const ValueId start = b.input("start", Shape{2}), x = b.input("x", Shape{3, 2});
    const auto outputs = b.ops("Scan", {start, x}, 2,
                               {{"body", body.shared()},
                                {"num_scan_inputs", int64_t{1}},
                                {"scan_input_directions", std::vector<int64_t>{reverse}}});
    b.output(outputs[0]);
    b.output(outputs[1]);
    Context context(b.model());
    const Tensor rows = Tensor::of({3, 2}, std::vector<float>{1, 2, 3, 4, 5, 6});
    const auto expected =
        reverse ? std::vector<float>{-5, -6, -3, -4, -1, -2} : std::vector<float>{-1, -2, -3, -4, -5, -6};
    const std::vector<Tensor> given{Tensor(DType::kFloat32, {2}), Tensor(DType::kFloat32, {3, 2})};
    context.run(std::vector{floats({0, 0}), rows}, {.outputs = given});
    const auto kept = context.run(std::vector{floats({1, 1}), rows});
    for (const auto& [sums, negative] : {std::pair{given[0], given[1]}, std::pair{kept[0], kept[1]}}) {
      expect_close(sums, sums.raw() == given[0].raw() ? floats({9, 12}) : floats({10, 13}));
      expect_close(negative, Tensor::of({3, 2}, expected));
    }
  }
}

// Returns a model that scans x with one state. `body` returns the next state and a scan output from the state and the
// element.
Model scan_model(const std::function<std::array<ValueId, 2>(GraphBuilder&, ValueId, ValueId)>& body, int64_t length) {
  GraphBuilder inner;
  const Fact element(DType::kFloat32, Shape{});
  const auto outputs = body(inner, inner.input("state", element), inner.input("element", element));
  for (const ValueId output : outputs) inner.output(output);
  GraphBuilder b;
  const auto y = b.ops("Scan", {b.input("start", element), b.input("x", Shape{length})}, 2,
                       {{"body", inner.shared()}, {"num_scan_inputs", int64_t{1}}});
  for (const ValueId output : y) b.output(output);
  return b.model();
}

/// Returns 4-bit numbers k % 16 of shape [3, 3].
Tensor nibbles(const std::vector<int>& k) {
  Tensor result(DType::kUint4, {3, 3});
  auto* bytes = static_cast<uint8_t*>(result.raw());
  std::fill_n(bytes, result.bytes(), uint8_t{0});
  for (size_t i = 0; i < k.size(); ++i) bytes[i / 2] = uint8_t(bytes[i / 2] | (k[i] & 15) << (4 * (i % 2)));
  return result;
}

// The scan inputs and outputs are along an axis whose elements share bytes with their neighbours.
TEST(Scan, TakesAndStacksElementsBelowOneByte) {
  const Fact row(DType::kUint4, Shape{3});
  GraphBuilder body;
  const ValueId state = body.input("state", row), element = body.input("element", row);
  body.output(body.op("Identity", {element}));
  body.output(body.op("Identity", {state}));
  GraphBuilder b;
  const auto y = b.ops("Scan", {b.input("start", row), b.input("x", Fact(DType::kUint4, Shape{3, 3}))}, 2,
                       {{"body", body.shared()},
                        {"num_scan_inputs", int64_t{1}},
                        {"scan_input_axes", std::vector<int64_t>{1}},
                        {"scan_input_directions", std::vector<int64_t>{1}},
                        {"scan_output_directions", std::vector<int64_t>{1}}});
  for (const ValueId output : y) b.output(output);
  const Tensor start = nibbles({9, 10, 11});
  const auto results = run_model(
      b.model(), {Tensor::wrap(DType::kUint4, {3}, Tensor(start).raw()), nibbles({1, 2, 3, 4, 5, 6, 7, 8, 15})});
  EXPECT_EQ(std::memcmp(results[0].raw(), nibbles({1, 4, 7}).raw(), 2), 0);
  EXPECT_TRUE(identical(results[1], nibbles({2, 5, 8, 3, 6, 15, 9, 10, 11})));
}

TEST(Scan, StatesKeepTheirDtype) {
  expect_error(ErrorKind::kType, "state 0", [] {
    scan_model(
        [](GraphBuilder& b, ValueId state, ValueId) {
          return std::array{b.op("Cast", {state}, {{"to", int64_t{3}}}), b.op("Identity", {state})};
        },
        4);
  });
}

TEST(Scan, GivesNoSequences) {
  for (const int64_t length : {0, 4}) {
    expect_error(ErrorKind::kType, "must give tensors", [&] {
      scan_model(
          [](GraphBuilder& b, ValueId state, ValueId element) {
            return std::array{b.op("Identity", {state}), b.op("SequenceConstruct", {element})};
          },
          length);
    });
  }
}

TEST(Loop, NamesTheNodesInItsErrors) {
  GraphBuilder body;
  body.input("i", kScalarInt);
  const ValueId cond = body.input("cond", kScalarBool), x = body.input("x", Fact(DType::kFloat32, std::nullopt));
  body.output(cond);
  body.output(body.op("Reshape", {x, body.constant(Tensor::of(std::vector<int64_t>{5}))}));
  GraphBuilder b;
  const ValueId trips = b.input("M", kScalarInt), start = b.input("x", Shape{4});
  b.output(b.ops("Loop", {trips, kNoValue, start}, 1, {{"body", body.shared()}})[0]);
  expect_error(ErrorKind::kShape, "Loop", [&] { b.model(); });
  expect_error(ErrorKind::kShape, "Reshape", [&] { b.model(); });
}

}  // namespace
}  // namespace linnet::testing
