#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "ops/rewrites/graph_parts.h"
#include "support/expect_unchanged.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

/// Adds a formula of x to the graph.
using Formula = std::function<ValueId(GraphBuilder&, ValueId x)>;

const Shape kShape{2, 3, 5};

ValueId mul(GraphBuilder& b, ValueId x, ValueId y) { return b.op("Mul", {x, y}); }
ValueId mul(GraphBuilder& b, ValueId x, double c) { return b.op("Mul", {x, num(b, c)}); }
ValueId mul(GraphBuilder& b, double c, ValueId x) { return b.op("Mul", {num(b, c), x}); }
ValueId add(GraphBuilder& b, ValueId x, double c) { return b.op("Add", {x, num(b, c)}); }
ValueId add(GraphBuilder& b, double c, ValueId x) { return b.op("Add", {num(b, c), x}); }
ValueId div(GraphBuilder& b, ValueId x, double c) { return b.op("Div", {x, num(b, c)}); }
ValueId clip(GraphBuilder& b, ValueId x, double low, double high) {
  return b.op("Clip", {x, num(b, low), num(b, high)});
}
ValueId erf(GraphBuilder& b, ValueId x) { return b.op("Erf", {div(b, x, std::sqrt(2.0))}); }
ValueId sigmoid(GraphBuilder& b, ValueId x) { return b.op("Sigmoid", {x}); }

std::string ops_of(const Formula& formula) {
  GraphBuilder b;
  b.output(formula(b, b.input("x", kShape)));
  expect_unchanged(b, {random_uniform(kShape, -5, 5)});
  return optimized_ops(b);
}

TEST(RecognizeActivation, SwishInBothOrdersAndWithItsSlope) {
  EXPECT_EQ(ops_of([](auto& b, ValueId x) { return mul(b, x, sigmoid(b, x)); }), "Swish");
  EXPECT_EQ(ops_of([](auto& b, ValueId x) { return mul(b, sigmoid(b, x), x); }), "Swish");
  EXPECT_EQ(ops_of([](auto& b, ValueId x) { return mul(b, x, sigmoid(b, mul(b, x, 1.702))); }), "Swish");
}

TEST(RecognizeActivation, HardSwishInItsUsualOrders) {
  const auto relu6 = [](auto& b, ValueId x) { return clip(b, add(b, x, 3.0), 0, 6.0); };
  EXPECT_EQ(ops_of([&](auto& b, ValueId x) { return div(b, mul(b, x, relu6(b, x)), 6.0); }), "HardSwish");
  EXPECT_EQ(ops_of([&](auto& b, ValueId x) { return mul(b, x, div(b, relu6(b, x), 6.0)); }), "HardSwish");
  EXPECT_EQ(ops_of([&](auto& b, ValueId x) { return mul(b, mul(b, relu6(b, x), 1.0 / 6), x); }), "HardSwish");
  const auto gate = [](auto& b, ValueId x) { return b.op("HardSigmoid", {x}, {{"alpha", 0.166667f}}); };
  EXPECT_EQ(ops_of([&](auto& b, ValueId x) { return mul(b, gate(b, x), x); }), "HardSwish");
}

TEST(RecognizeActivation, HardSigmoid) {
  EXPECT_EQ(ops_of([](auto& b, ValueId x) { return div(b, clip(b, add(b, x, 3.0), 0, 6), 6.0); }), "HardSigmoid");
  EXPECT_EQ(ops_of([](auto& b, ValueId x) { return mul(b, 1.0 / 6, clip(b, add(b, 3.0, x), 0, 6)); }), "HardSigmoid");
  EXPECT_EQ(ops_of([](auto& b, ValueId x) { return div(b, clip(b, add(b, x, 3.0), 0, 6), 5.0); }), "Add Clip Div");
  EXPECT_EQ(ops_of([](auto& b, ValueId x) { return div(b, clip(b, add(b, x, 3.0), -1, 6), 6.0); }), "Add Clip Div");
}

TEST(RecognizeActivation, GeluInTheOrdersOfExporters) {
  EXPECT_EQ(ops_of([](auto& b, ValueId x) { return mul(b, mul(b, x, add(b, erf(b, x), 1.0)), 0.5); }), "Gelu");
  EXPECT_EQ(ops_of([](auto& b, ValueId x) { return mul(b, mul(b, 0.5, x), add(b, 1.0, erf(b, x))); }), "Gelu");
  EXPECT_EQ(ops_of([](auto& b, ValueId x) { return mul(b, x, mul(b, add(b, erf(b, x), 1.0), 0.5)); }), "Gelu");
  const auto tensorflow = [](auto& b, ValueId x) {
    return mul(b, add(b, 1.0, b.op("Erf", {mul(b, x, std::sqrt(0.5))})), mul(b, x, 0.5));
  };
  EXPECT_EQ(ops_of(tensorflow), "Gelu");
}

TEST(RecognizeActivation, GeluByTanhWithThePowerInAllForms) {
  const double k = std::sqrt(2 / std::acos(-1.0)), c = 0.044715;
  const auto of = [](auto& b, ValueId x, ValueId argument) {
    return mul(b, mul(b, x, 0.5), add(b, b.op("Tanh", {argument}), 1.0));
  };
  const auto by_power = [&](auto& b, ValueId x) {
    return of(b, x, mul(b, b.op("Add", {x, mul(b, b.op("Pow", {x, num(b, 3.0)}), c)}), k));
  };
  const auto by_products = [&](auto& b, ValueId x) {
    return of(b, x, mul(b, k, b.op("Add", {mul(b, mul(b, mul(b, c, x), x), x), x})));
  };
  const auto factored = [&](auto& b, ValueId x) {
    return of(b, x, mul(b, mul(b, x, k), add(b, 1.0, mul(b, mul(b, x, c), x))));
  };
  EXPECT_EQ(ops_of(by_power), "Gelu");
  EXPECT_EQ(ops_of(by_products), "Gelu");
  EXPECT_EQ(ops_of(factored), "Gelu");
}

TEST(RecognizeActivation, Mish) {
  EXPECT_EQ(ops_of([](auto& b, ValueId x) { return mul(b, x, b.op("Tanh", {b.op("Softplus", {x})})); }), "Mish");
}

TEST(RecognizeActivation, NotWithOtherNumbers) {
  const auto is_kept = [](const Formula& formula) {
    const std::string ops = ops_of(formula);
    for (const char* name : {"Swish", "HardSwish", "Gelu", "Mish"}) EXPECT_EQ(ops.find(name), std::string::npos) << ops;
  };
  is_kept([](auto& b, ValueId x) { return mul(b, x, add(b, sigmoid(b, x), 1.0)); });
  is_kept([](auto& b, ValueId x) { return div(b, mul(b, x, clip(b, add(b, x, 2.0), 0, 6.0)), 6.0); });
  is_kept([](auto& b, ValueId x) { return div(b, mul(b, x, clip(b, add(b, x, 3.0), 0, 5.0)), 6.0); });
  is_kept([](auto& b, ValueId x) { return div(b, mul(b, x, clip(b, add(b, x, 3.0), 0, 6.0)), 5.0); });
  is_kept([](auto& b, ValueId x) { return mul(b, x, b.op("HardSigmoid", {x})); });
  is_kept([](auto& b, ValueId x) { return mul(b, mul(b, x, add(b, erf(b, x), 2.0)), 0.5); });
  is_kept([](auto& b, ValueId x) { return mul(b, mul(b, x, add(b, erf(b, x), 1.0)), 0.25); });
  is_kept([](auto& b, ValueId x) { return mul(b, mul(b, x, add(b, b.op("Erf", {x}), 1.0)), 0.5); });
  is_kept([](auto& b, ValueId x) { return mul(b, mul(b, x, add(b, b.op("Tanh", {x}), 1.0)), 0.5); });
}

TEST(RecognizeActivation, NotWithAnotherValueInTheGate) {
  EXPECT_EQ(ops_of([](auto& b, ValueId x) { return mul(b, x, sigmoid(b, b.op("Neg", {x}))); }), "Neg Sigmoid Mul");
}

TEST(RecognizeActivation, NotWhereAValueBetweenIsReadElsewhere) {
  GraphBuilder b;
  const ValueId x = b.input("x", kShape), gate = sigmoid(b, x);
  b.output(mul(b, x, gate));
  b.output(gate);
  EXPECT_EQ(optimized_ops(b), "Sigmoid Mul");
  expect_unchanged(b, {random_uniform(kShape, -5, 5)});
}

TEST(RecognizeActivation, NotWhereANumberChangesTheShape) {
  GraphBuilder b;
  const ValueId x = b.input("x", kShape);
  const ValueId slope = b.constant(Tensor::of(Shape{1, 1, 1, 1}, std::vector<float>{2}));
  b.output(mul(b, x, sigmoid(b, mul(b, x, slope))));
  EXPECT_EQ(optimized_ops(b), "Mul Sigmoid Mul");
  expect_unchanged(b, {random_uniform(kShape, -5, 5)});
}

TEST(RecognizeActivation, NotInDouble) {
  GraphBuilder b;
  const ValueId x = b.input("x", Fact(DType::kFloat64, kShape));
  b.output(mul(b, x, sigmoid(b, x)));
  EXPECT_EQ(optimized_ops(b), "Sigmoid Mul");
}

TEST(RecognizeActivation, ALongProductOfOneValueIsLeftAlone) {
  GraphBuilder b;
  const ValueId x = b.input("x", kShape);
  ValueId y = x;
  for (int i = 0; i < 50; ++i) y = mul(b, y, 0.9);
  b.output(y);
  EXPECT_EQ(optimized_ops(b).find("Swish"), std::string::npos);
  expect_unchanged(b, {random_uniform(kShape, -5, 5)});
}

}  // namespace
}  // namespace linnet::testing
