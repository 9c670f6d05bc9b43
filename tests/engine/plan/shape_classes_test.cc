#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "plan/program.h"
#include "run/model_graph.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

constexpr int64_t kWidth = 8;

std::shared_ptr<Program> program_of(const GraphBuilder& b) {
  const auto resources = std::make_shared<ModelResources>();
  resources->options.executor = make_serial_executor();
  return std::make_shared<Program>(model_graph(b.model(resources->options)), resources);
}

/// A step of a decoder: a product by weights, rows appended to past ones, and scores of all rows under a mask that is
/// made from their number.
GraphBuilder step_graph() {
  GraphBuilder b;
  const ValueId x = b.input("x", Fact(DType::kFloat32, Dims{1, kWidth}));
  const ValueId past = b.input("past", Fact(DType::kFloat32, Dims{Dim("P"), kWidth}));
  const ValueId row = b.op("MatMul", {x, b.constant(random_tensor({kWidth, kWidth}, 1))});
  const ValueId rows = b.op("Concat", {past, row}, {{"axis", int64_t{0}}});
  const ValueId scores = b.op("MatMul", {x, b.op("Transpose", {rows}, {{"perm", std::vector<int64_t>{1, 0}}})});
  const ValueId count = b.op("Gather", {b.op("Shape", {rows}), b.constant(Tensor::scalar<int64_t>(0))});
  const ValueId places =
      b.op("Range", {b.constant(Tensor::scalar<int64_t>(0)), count, b.constant(Tensor::scalar<int64_t>(1))});
  const ValueId mask =
      b.op("Cast", {b.op("Mod", {places, b.constant(Tensor::scalar<int64_t>(3))})}, {{"to", int64_t{1}}});
  b.output(b.op("Softmax", {b.op("Add", {scores, mask})}));
  b.output(rows);
  return b;
}

std::vector<Tensor> step_inputs(int64_t past) {
  return {random_tensor({1, kWidth}, 2), random_tensor({past, kWidth}, 3)};
}

const Kernel* kernel(const Plan& plan, const std::string& op_type) {
  for (const PlannedNode& planned : plan.nodes) {
    if (planned.node && planned.node->spec.op_type == op_type) return planned.kernel.get();
  }
  return nullptr;
}

TEST(ShapeClasses, TakesKernelsWhoseShapesAreTheSame) {
  const auto program = program_of(step_graph());
  EXPECT_FALSE(program->plan_for(step_inputs(40))->like);
  const auto second = program->plan_for(step_inputs(41)), third = program->plan_for(step_inputs(42));
  EXPECT_TRUE(second->like);
  EXPECT_TRUE(third->like);
  EXPECT_EQ(second->nodes.size(), third->nodes.size());
  int taken = 0;
  for (size_t i = 0; i < second->nodes.size(); ++i) taken += second->nodes[i].kernel == third->nodes[i].kernel;
  EXPECT_GE(taken, 1);
  EXPECT_NE(kernel(*second, "Concat"), kernel(*third, "Concat"));
}

TEST(ShapeClasses, GivesTheBitsOfAModelThatKnowsNoOtherShapes) {
  const GraphBuilder graph = step_graph();
  const Model one = graph.model();
  Context all(one);
  for (const int64_t past : {40, 41, 42, 64, 33, 50, 40, 63, 100, 101, 65, 5, 300, 1, 2, 0, 4}) {
    const std::vector<Tensor> inputs = step_inputs(past);
    const auto got = all.run(inputs);
    const Model fresh = graph.model();
    Context alone(fresh);
    const auto want = alone.run(inputs);
    EXPECT_TRUE(identical(got[0], want[0])) << past;
    EXPECT_TRUE(identical(got[1], want[1])) << past;
  }
}

/// The dim is halved and rounded down, so two sizes have the same result.
TEST(ShapeClasses, KnowsDimsThatDoNotGrowWithTheInput) {
  GraphBuilder b;
  const ValueId x = b.input("x", Fact(DType::kFloat32, Dims{Dim("N")}));
  const ValueId half = b.op("Div", {b.op("Shape", {x}), b.constant(Tensor::of<int64_t>({2}))});
  b.output(b.op("Slice", {x, b.constant(Tensor::of<int64_t>({0})), half}));
  const Model model = b.model();
  Context context(model);
  for (int64_t n = 17; n <= 70; ++n) {
    const Tensor input = random_tensor({n});
    const auto y = context.run({{input}});
    ASSERT_EQ(y[0].shape(), Shape({n / 2})) << n;
    EXPECT_TRUE(std::equal(y[0].values<float>().begin(), y[0].values<float>().end(), input.data<float>()));
  }
}

/// A plan takes as many rows of the weights as the input has, but at most four, and doubles them.
TEST(ShapeClasses, PlansShareWhatTheyMakeOfWeights) {
  GraphBuilder b;
  const ValueId x = b.input("x", Fact(DType::kFloat32, Dims{Dim("N"), 4}));
  const auto ints = [&](int64_t value) { return b.constant(Tensor::of<int64_t>({value})); };
  const ValueId rows = b.op("Min", {b.op("Shape", {x}, {{"end", int64_t{1}}}), ints(4)});
  const ValueId part = b.op("Slice", {b.constant(random_tensor({8, 512})), ints(0), rows});
  b.output(b.op("Tanh", {b.op("MatMul", {x, b.op("Add", {part, part})})}));
  const auto program = program_of(b);
  std::set<const void*> matrices;
  std::vector<std::shared_ptr<const Plan>> plans;
  for (const int64_t n : {40, 41, 42, 100, 101, 5, 300}) {
    plans.push_back(program->plan_for(std::vector<Tensor>{random_tensor({n, 4})}));
    for (const PlannedNode& planned : plans.back()->nodes) {
      for (const auto& [address, bytes] : planned.packed) matrices.insert(address);
    }
  }
  EXPECT_EQ(matrices.size(), 1u);
}

TEST(ShapeClasses, PlansHoldNoValuesOfNodesThatAreGone) {
  GraphBuilder b;
  ValueId y = b.input("x", Fact(DType::kFloat32, Dims{Dim("N"), 4}));
  for (int i = 0; i < 50; ++i) y = b.op("Neg", {b.op("Identity", {y})});
  b.output(b.op("Relu", {y}));
  const auto program = program_of(b);
  for (const int64_t n : {40, 41, 42, 43}) {
    const auto plan = program->plan_for(std::vector<Tensor>{random_tensor({n, 4})});
    EXPECT_LE(plan->graph.value_count(), 60) << n;
  }
}

TEST(ShapeClasses, OneServesAllSizesWhereNoneMatters) {
  const auto program = program_of(step_graph());
  program->plan_for(step_inputs(40));
  for (const int64_t past : {100, 5, 0, 101, 1, 300}) EXPECT_TRUE(program->plan_for(step_inputs(past))->like) << past;
}

/// Two inputs that are added. A size of 1 is broadcast, others are not.
GraphBuilder sum_graph() {
  GraphBuilder b;
  const ValueId x = b.input("x", Fact(DType::kFloat32, Dims{Dim("N"), 4}));
  const ValueId y = b.input("y", Fact(DType::kFloat32, Dims{Dim("M"), 4}));
  b.output(b.op("Relu", {b.op("Add", {b.op("Neg", {x}), y})}));
  return b;
}

TEST(ShapeClasses, SizesOfOneHaveTheirOwnWhereTheyMatter) {
  const auto program = program_of(sum_graph());
  const auto plan = [&](int64_t n, int64_t m) {
    return program->plan_for(std::vector<Tensor>{random_tensor({n, 4}), random_tensor({m, 4})});
  };
  EXPECT_FALSE(plan(5, 5)->like);
  EXPECT_TRUE(plan(6, 6)->like);
  EXPECT_FALSE(plan(1, 6)->like);
  EXPECT_TRUE(plan(1, 7)->like);
  EXPECT_FALSE(plan(1, 1)->like);
  EXPECT_FALSE(plan(0, 1)->like);
  EXPECT_TRUE(plan(9, 9)->like);
}

TEST(ShapeClasses, OtherOrdersAndContextsGiveTheSameBits) {
  const Model model = step_graph().model();
  std::vector<int64_t> sizes{0, 1, 2, 3, 40, 41, 5, 64, 127, 300};
  std::map<int64_t, std::vector<Tensor>> first;
  for (int order = 0; order < 4; ++order) {
    Context context(model);
    const Model other = step_graph().model();
    Context fresh(other);
    std::shuffle(sizes.begin(), sizes.end(), std::mt19937(unsigned(order)));
    for (const int64_t past : sizes) {
      for (Context* each : {&context, &fresh}) {
        const auto out = each->run(step_inputs(past));
        std::vector<Tensor>& known = first[past];
        if (known.empty()) known = {out[0].clone(), out[1].clone()};
        EXPECT_TRUE(identical(out[0], known[0]) && identical(out[1], known[1])) << past;
      }
    }
  }
}

/// y = x for integers. Counts how often its facts are inferred.
class Passed final : public Op {
 public:
  explicit Passed(int& inferred) : inferred_(inferred) {}
  std::vector<Fact> infer(std::span<const Fact> in) const override {
    ++inferred_;
    return {Fact(in[0].dtype, in[0].dims)};
  }
  std::optional<Dims> contents(std::span<const Fact> in, const Fact&) const override { return elements_of(in[0]); }
  KernelPtr compile(const CompileInput&) const override { throw Error(ErrorKind::kInternal, "is never computed"); }

 private:
  int& inferred_;
};

/// Values that depend only on sizes are known immediately.
TEST(ShapeClasses, BindingsDoNotComputeOneSizeOfTheOther) {
  int inferred = 0;
  Registry registry = standard_registry();
  registry.add("Passed", {}, [&](const NodeSpec&) { return std::make_unique<Passed>(inferred); });
  GraphBuilder b(17, std::move(registry));
  const ValueId x = b.input("x", Fact(DType::kFloat32, Dims{Dim("N"), Dim("M"), 4}));
  const ValueId shape = b.op("Passed", {b.op("Shape", {x})});
  const ValueId tail =
      b.op("Slice", {shape, b.constant(Tensor::of<int64_t>({1})), b.constant(Tensor::of<int64_t>({3}))});
  const ValueId joined = b.op("Concat", {b.constant(Tensor::of<int64_t>({-1})), tail}, {{"axis", int64_t{0}}});
  b.output(b.op("Reshape", {b.op("Relu", {b.op("Neg", {x})}), joined}));
  b.output(shape);
  const auto program = program_of(b);
  const auto plan = [&](int64_t n, int64_t m) {
    return program->plan_for(std::vector<Tensor>{random_tensor({n, m, 4})});
  };
  plan(5, 6);
  const int before = inferred;
  for (const auto& [n, m] : {std::pair<int64_t, int64_t>{7, 6}, {8, 9}, {3, 2}}) {
    const auto made = plan(n, m);
    EXPECT_EQ(inferred, before);
    EXPECT_EQ(made->slots[size_t(made->outputs[0].slot)].shape, Shape({n, m, 4}));
    const Tensor& sizes = made->graph.fact(made->graph.outputs()[1].value).constant;
    EXPECT_TRUE(identical(sizes, Tensor::of<int64_t>({n, m, 4})));
  }
}

/// The input is repeated once per 64 elements, so small inputs are not repeated.
TEST(ShapeClasses, PlansAreWhatTheirSizesMakeOfThem) {
  GraphBuilder b;
  const ValueId x = b.input("x", Fact(DType::kFloat32, Dims{1, Dim("N")}));
  const ValueId length = b.op("Shape", {x}, {{"start", int64_t{1}}});
  const auto ints = [&](int64_t value) { return b.constant(Tensor::of<int64_t>({value})); };
  const ValueId times = b.op("Div", {b.op("Add", {length, ints(63)}), ints(64)});
  const ValueId shape = b.op("Concat", {times, ints(1)}, {{"axis", int64_t{0}}});
  b.output(b.op("Relu", {b.op("Expand", {x, shape})}));
  const auto program = program_of(b);
  for (const int64_t n : {40, 41, 100, 101, 102, 60, 130, 200}) {
    const auto plan = program->plan_for(std::vector<Tensor>{random_tensor({1, n})});
    EXPECT_EQ(plan->slots[size_t(plan->outputs[0].slot)].shape, Shape({(n + 63) / 64, n}));
    EXPECT_EQ(kernel(*plan, "Expand") != nullptr, n > 64) << n;
  }
}

/// Runs sizes in this order, and expects an error where the two sizes of a pair differ.
void expect_right_behind_errors(const std::vector<std::pair<int64_t, int64_t>>& sizes) {
  const Model model = sum_graph().model();
  Context context(model);
  for (const auto& [n, m] : sizes) {
    const std::vector<Tensor> in{random_tensor({n, 4}, 1), random_tensor({m, 4}, 2)};
    if (n != m) {
      EXPECT_THROW(context.run(in), Error);
      continue;
    }
    const auto out = context.run(in);
    ASSERT_EQ(out[0].shape(), Shape({n, 4}));
    for (int64_t i = 0; i < 4 * n; ++i) {
      EXPECT_EQ(out[0].data<float>()[i], std::max(0.0f, in[1].data<float>()[i] - in[0].data<float>()[i]));
    }
  }
}

TEST(ShapeClasses, AnErrorLeavesTheNextPlanRight) {
  expect_right_behind_errors({{20, 20}, {21, 21}, {22, 22}, {23, 24}, {23, 23}, {24, 24}, {22, 22}});
  expect_right_behind_errors({{20, 21}, {20, 20}, {21, 21}, {22, 22}});
}

TEST(ShapeClasses, OneElementIsRepeated) {
  GraphBuilder b;
  const ValueId x = b.input("x", Fact(DType::kFloat32, Dims{Dim("N")}));
  b.output(b.op("Add", {x, b.input("y", Fact(DType::kFloat32, Dims{Dim("M")}))}));
  const Model model = b.model();
  Context context(model);
  for (const int64_t n : {3, 4, 1, 3, 1, 4}) {
    const Tensor x_values = random_tensor({n}, 1), y_values = random_tensor({n == 1 ? 4 : n}, 2);
    const auto out = context.run(std::vector<Tensor>{x_values, y_values});
    ASSERT_EQ(out[0].shape(), y_values.shape());
    for (int64_t i = 0; i < y_values.size(); ++i) {
      EXPECT_EQ(out[0].data<float>()[i], x_values.data<float>()[n == 1 ? 0 : i] + y_values.data<float>()[i]);
    }
  }
}

}  // namespace
}  // namespace linnet::testing
