#include "elementwise/elementwise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "elementwise/broadcast_plan.h"
#include "graph/graph.h"
#include "linnet/model.h"
#include "run/model_graph.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

TEST(BroadcastPlan, MergesDimsThatAllInputsTreatAlike) {
  const BroadcastPlan plan({2, 3, 4, 5}, {{2, 3, 4, 5}, {3, 1, 1}});
  EXPECT_EQ(plan.row, 20);
  EXPECT_EQ(plan.outer_dims, (std::vector<int64_t>{2, 3}));
  EXPECT_TRUE(plan.inputs[0].dense);
  EXPECT_FALSE(plan.inputs[1].dense);
  EXPECT_TRUE(plan.inputs[1].scalar);
  RowCursor cursor(plan, 2);
  EXPECT_EQ(cursor.offset(0), 40);
  EXPECT_EQ(cursor.offset(1), 2);
  cursor.advance();
  EXPECT_EQ(cursor.offset(0), 60);
  EXPECT_EQ(cursor.offset(1), 0);
}

TEST(BroadcastPlan, IsOneRowForEqualShapes) {
  const BroadcastPlan plan({2, 1, 3}, {{2, 1, 3}, {2, 1, 3}});
  EXPECT_EQ(plan.row, 6);
  EXPECT_TRUE(plan.outer_dims.empty());
}

TEST(BroadcastPlan, RefusesWhatDoesNotBroadcast) {
  expect_error(ErrorKind::kShape, "[3]", [] { BroadcastPlan({2, 4}, {{3}}); });
  expect_error(ErrorKind::kShape, "[1,2]", [] { BroadcastPlan({2}, {{1, 2}}); });
}

/// Returns element i of the output of Sub by NumPy's rules.
float difference(const Shape& y, int64_t i, const Tensor& a, const Tensor& b) {
  const auto element = [&](const Tensor& x) {
    int64_t offset = 0, stride = 1, rest = i;
    for (int d = y.rank() - 1; d >= 0; rest /= y[d--]) {
      const int own = d - (y.rank() - x.rank());
      if (own < 0) continue;
      if (x.dim(own) > 1) offset += rest % y[d] * stride;
      stride *= x.dim(own);
    }
    return x.data<float>()[offset];
  };
  return element(a) - element(b);
}

/// Returns small whole numbers, whose sums are exact in any order.
std::vector<Tensor> many_inputs(int count) {
  std::vector<Tensor> inputs;
  for (int i = 0; i < count; ++i) {
    const Shape shape = i % 3 == 0 ? Shape{40, 7} : i % 3 == 1 ? Shape{7} : Shape{};
    Tensor x(DType::kFloat32, shape);
    for (int64_t k = 0; k < x.size(); ++k) x.data<float>()[k] = float((k * 7 + i * 13) % 31 - 9);
    inputs.push_back(x);
  }
  return inputs;
}

float element_at(const Tensor& x, int64_t i) { return x.data<float>()[i % x.size()]; }

TEST(Elementwise, TakesAnyNumberOfInputs) {
  for (const int count : {1, 16, 17, 64, 65, 100, 1000}) {
    const std::vector<Tensor> inputs = many_inputs(count);
    Tensor sum(DType::kFloat32, {40, 7}), most = sum.clone(), least = sum.clone(), mean = sum.clone();
    for (int64_t i = 0; i < sum.size(); ++i) {
      float all = 0, high = -INFINITY, low = INFINITY;
      for (const Tensor& x : inputs) {
        all += element_at(x, i);
        high = std::max(high, element_at(x, i));
        low = std::min(low, element_at(x, i));
      }
      sum.data<float>()[i] = all;
      most.data<float>()[i] = high;
      least.data<float>()[i] = low;
      mean.data<float>()[i] = all / float(count);
    }
    const std::pair<const char*, Tensor> wanted[] = {{"Sum", sum}, {"Max", most}, {"Min", least}, {"Mean", mean}};
    for (const auto& [name, want] : wanted) {
      for (const int threads : {1, 3}) {
        EXPECT_TRUE(identical(run_op({name, 13}, inputs, 1, {}, Isa::kAuto, threads)[0], want)) << name << count;
      }
    }
  }
}

/// Tests rows that are computed together, complete and partial, with inputs that repeat in every way.
TEST(Elementwise, ShortRowsAreBroadcastAsLongOnesAre) {
  const std::vector<std::vector<Shape>> cases{{{50, 1, 7}, {3, 7}, {50, 3, 1}, {3, 1}, {1, 3, 7}, {7}, {50, 1, 1}, {1}},
                                              {{700, 1}, {5}, {700, 5}},
                                              {{4, 1, 6, 1}, {5, 1, 2}, {4, 5, 1, 2}, {1, 5, 6, 1}},
                                              {{3, 1, 255}, {2, 1}, {1, 255}},
                                              {{3, 2, 1}, {1, 2, 256}, {3, 1, 256}, {2, 1}}};
  for (const std::vector<Shape>& shapes : cases) {
    for (const Shape& left : shapes) {
      for (const Shape& right : shapes) {
        const Tensor a = testing::random_tensor(left, 1), b = testing::random_tensor(right, 2);
        for (const int threads : {1, 3}) {
          const Tensor y = run_op({"Sub", 14}, {a, b}, 1, {}, Isa::kAuto, threads)[0];
          for (int64_t i = 0; i < y.size(); ++i) ASSERT_EQ(y.data<float>()[i], difference(y.shape(), i, a, b)) << i;
        }
      }
    }
  }
}

/// Returns the graph of y = exp(x + b) b.
Graph chain(const Shape& x, const Shape& b) {
  Graph graph(std::make_shared<Registry>(standard_registry()));
  const ValueId x_id = graph.add_input("x", Fact(DType::kFloat32, x));
  const ValueId b_id = graph.add_input("b", Fact(DType::kFloat32, b));
  const auto add_node = [&](const char* op, std::vector<ValueId> in, const char* out) {
    NodeSpec spec;
    spec.op_type = op;
    spec.name = out;
    spec.opset = 17;
    return graph.node(graph.add_node(spec, std::move(in), {out})).outputs[0];
  };
  const ValueId sum = add_node("Add", {x_id, b_id}, "sum");
  const ValueId root = add_node("Exp", {sum}, "exp");
  graph.add_output("y", add_node("Mul", {root, b_id}, "product"));
  return graph;
}

TEST(Elementwise, GivesTheSameBitsForAnyNumberOfThreads) {
  const Shape x_shape{3, 50, 1001}, b_shape{50, 1};
  const std::vector<Tensor> inputs{random_tensor(x_shape, 1), random_tensor(b_shape, 2)};
  const Model model = make_model(chain(x_shape, b_shape), {});
  Context serial(model, {.executor = make_serial_executor(), .observer = nullptr, .limits = {}});
  const Tensor want = serial.run(inputs)[0].clone();
  for (const int threads : {2, 3, 7}) {
    Context parallel(model, {.executor = make_openmp_executor(threads), .observer = nullptr, .limits = {}});
    EXPECT_TRUE(identical(parallel.run(inputs)[0], want)) << threads << " threads";
  }
}

TEST(Elementwise, LeavesItsInputsAsTheyAre) {
  const Tensor x = random_tensor({40, 30}, 1), b = random_tensor({30}, 2);
  const Tensor x_before = x.clone(), b_before = b.clone();
  const Model model = make_model(chain(x.shape(), b.shape()), {});
  Context context(model);
  const std::vector<Tensor> inputs{x, b};
  const Tensor first = context.run(inputs)[0].clone();
  EXPECT_TRUE(identical(context.run(inputs)[0], first));
  EXPECT_TRUE(identical(x, x_before));
  EXPECT_TRUE(identical(b, b_before));
}

TEST(Elementwise, TakesAnInputTwice) {
  const Tensor x = random_tensor({100});
  expect_close(run_op({"Sub"}, {x, x})[0], Tensor::of<float>(std::vector<float>(100, 0.0f)));
}

TEST(Elementwise, RepeatsTheLastLinkOfAChainThatReadsOneValueOnly) {
  const Attributes relu{{"ops", std::vector<std::string>{"Relu"}},
                        {"first", std::vector<int64_t>{0}},
                        {"second", std::vector<int64_t>{-1}},
                        {"alpha", std::vector<float>{0}},
                        {"beta", std::vector<float>{0}}};
  const OpCase op{"Elementwise", 1, relu, "linnet"};
  const Tensor rows = Tensor::of<float>({3, 1}, {1, 2, 3}), wide = random_tensor({3, 1000});
  std::vector<float> want;
  for (const float row : {1.0f, 2.0f, 3.0f}) want.insert(want.end(), 1000, row);
  expect_close(run_op(op, {rows, wide})[0], Tensor::of<float>({3, 1000}, want));
}

}  // namespace
}  // namespace linnet::testing
