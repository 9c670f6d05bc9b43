#include <gtest/gtest.h>

#include "support/expect_unchanged.h"
#include "support/run_expanded.h"

namespace linnet::testing::microsoft_gelu {
namespace {

const Shape kShape{3, 8};
const Tensor kX = random_tensor(kShape, 1), kBias = random_tensor({8}, 2);

template <class F>
Tensor expected(const Tensor& bias, F f) {
  Tensor y(DType::kFloat32, kShape);
  for (int64_t i = 0; i < y.size(); ++i) {
    y.data<float>()[i] = float(f(double(kX.data<float>()[i]) + (bias ? double(bias.data<float>()[i % 8]) : 0)));
  }
  return y;
}

double gelu(double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); }
double gelu_tanh(double x) { return x / 2 * (1 + std::tanh(0.7978845608 * (x + 0.044715 * x * x * x))); }

TEST(MicrosoftGelu, IsOfTheBiasedInput) {
  expect_close(run_expanded("Gelu", {}, {kX})[0], expected(Tensor(), gelu), 1e-6, 1e-6);
  expect_close(run_expanded("BiasGelu", {}, {kX, kBias})[0], expected(kBias, gelu), 1e-6, 1e-6);
}

TEST(MicrosoftGelu, FastGeluIsTheFormWithTanh) {
  expect_close(run_expanded("FastGelu", {}, {kX})[0], expected(Tensor(), gelu_tanh), 1e-6, 1e-6);
  expect_close(run_expanded("FastGelu", {}, {kX, kBias})[0], expected(kBias, gelu_tanh), 1e-6, 1e-6);
}

TEST(MicrosoftGelu, QuickGeluIsSwish) {
  for (const float alpha : {1.702f, 1.0f, 0.5f}) {
    const Attributes attributes = alpha == 1.702f ? Attributes{} : Attributes{{"alpha", alpha}};
    const Tensor want = expected(Tensor(), [&](double x) { return x / (1 + std::exp(-double(alpha) * x)); });
    expect_close(run_expanded("QuickGelu", attributes, {kX})[0], want, 1e-6, 1e-6);
  }
}

TEST(MicrosoftGelu, BiasSplitGeluMultipliesTheHalves) {
  const Tensor y = run_expanded("BiasSplitGelu", {}, {kX, kBias})[0];
  const Tensor biased = expected(kBias, [](double x) { return x; }), gate = expected(kBias, gelu);
  ASSERT_EQ(y.shape(), (Shape{3, 4}));
  for (int64_t i = 0; i < 12; ++i) {
    const int64_t left = i / 4 * 8 + i % 4;
    EXPECT_NEAR(y.data<float>()[i], biased.data<float>()[left] * gate.data<float>()[left + 4], 1e-5);
  }
}

TEST(MicrosoftGelu, IsPartOfTheProductBefore) {
  for (const char* name : {"BiasGelu", "FastGelu"}) {
    GraphBuilder b;
    const ValueId product = b.op("MatMul", {b.input("x", kShape), b.constant(random_tensor({8, 8}))});
    b.output(b.op(name, {product, b.constant(kBias)}, {}, "com.microsoft"));
    EXPECT_EQ(optimized_ops(b), "+MatMul") << name;
  }
}

TEST(MicrosoftGelu, HalvesAreNotRoundedBehindTheProduct) {
  GraphBuilder b;
  const Tensor weights = cast_to(random_tensor({8, 8}), DType::kFloat16), bias = cast_to(kBias, DType::kFloat16);
  const ValueId product = b.op("MatMul", {b.input("x", Fact(DType::kFloat16, kShape)), b.constant(weights)});
  b.output(b.op("BiasGelu", {product, b.constant(bias)}, {}, "com.microsoft"));
  EXPECT_EQ(optimized_ops(b), "Cast +MatMul Cast");
}

TEST(MicrosoftGelu, RefusesWhatDoesNotFit) {
  expect_error(ErrorKind::kShape, "bias", [&] {
    run_op({"BiasGelu", 1, {}, "com.microsoft"}, {kX, random_tensor({7})});
  });
  expect_error(ErrorKind::kType, "X", [&] {
    run_op({"QuickGelu", 1, {}, "com.microsoft"}, {Tensor::of<int32_t>({1})});
  });
  expect_error(ErrorKind::kShape, "even", [&] {
    run_op({"BiasSplitGelu", 1, {}, "com.microsoft"}, {random_tensor({2, 3}), random_tensor({3})});
  });
}

}  // namespace
}  // namespace linnet::testing::microsoft_gelu
