#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/gemm.h"
#include "kernels/kernels_for.h"
#include "support/graph_builder.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

bool has_pairs(Isa isa) { return kernels_for<GemmKernels<GemmBFloat16Pairs>>(isa).strip != nullptr; }

ModelOptions options_of(ProductPrecision precision, Isa isa = Isa::kAuto) {
  ModelOptions options;
  options.precision = precision;
  options.isa = isa;
  return options;
}

Tensor rounded(const Tensor& x) { return cast_to(cast_to(x, DType::kBFloat16), DType::kFloat32); }

/// Returns a graph of one product of x and constant weights.
GraphBuilder product_graph(const std::string& op, const Shape& x, const Tensor& w, const Attributes& attributes = {}) {
  GraphBuilder b;
  b.output(b.op(op, {b.input("x", x), b.constant(w)}, attributes));
  return b;
}

/// Checks a float32 product. Where the instruction set has bfloat16 products, it equals the product of factors rounded
/// to bfloat16, except for float32's rounding; otherwise it is unchanged bit by bit. It is the same for any number of
/// threads.
void expect_rounded(const std::string& op, const Shape& shape, const Tensor& w, const Attributes& attributes = {}) {
  const Tensor x = random_tensor(shape, 5);
  const GraphBuilder b = product_graph(op, shape, w, attributes),
                     of_rounded = product_graph(op, shape, rounded(w), attributes);
  const ModelOptions wanted = options_of(ProductPrecision::kBFloat16);
  const Tensor y = run_model(b.model(wanted), {x}, 1)[0], float32 = run_model(b.model(), {x}, 1)[0];
  expect_close(run_model(b.model(wanted), {x}, 3)[0], y);
  ModelOptions guarded = wanted;
  guarded.guard_memory = true;
  expect_close(run_model(b.model(guarded), {x}, 1)[0], y);
  if (!has_pairs(Isa::kAuto)) return expect_close(y, float32);
  expect_close(y, run_model(of_rounded.model(), {rounded(x)}, 1)[0], 1e-4, 1e-5);
  double largest = 0;
  for (int64_t i = 0; i < y.size(); ++i) {
    largest = std::max(largest, std::abs(double(y.data<float>()[i]) - double(float32.data<float>()[i])));
  }
  EXPECT_GT(largest, 1e-3) << op << " did not round";
}

TEST(BFloat16Products, OfMatMulRoundBothFactors) {
  for (const int64_t m : {1, 2, 7, 24, 25, 100}) {
    for (const int64_t n : {1, 17, 64, 200}) expect_rounded("MatMul", {m, 65}, random_tensor({65, n}, 1));
  }
  for (const int64_t k : {32, 513, 1400, 2047}) expect_rounded("MatMul", {9, k}, random_tensor({k, 40}, 1));
  expect_rounded("MatMul", {3, 5, 33}, random_tensor({3, 33, 20}, 1));
}

TEST(BFloat16Products, OfGemmRoundBothFactors) {
  expect_rounded("Gemm", {9, 48}, random_tensor({30, 48}, 1), {{"transB", int64_t{1}}, {"alpha", 1.f}});
}

TEST(BFloat16Products, OfConvRoundBothFactors) {
  const auto conv = [](const Shape& x, const Shape& w, int64_t group, int64_t stride, int64_t pad) {
    expect_rounded("Conv", x, random_tensor(w, 1),
                   {{"group", group},
                    {"strides", std::vector<int64_t>{stride, stride}},
                    {"pads", std::vector<int64_t>{pad, pad, pad, pad}}});
  };
  conv({1, 64, 9, 9}, {40, 64, 1, 1}, 1, 1, 0);
  conv({2, 33, 9, 9}, {40, 33, 1, 1}, 1, 1, 0);
  conv({1, 21, 11, 9}, {40, 21, 3, 3}, 1, 2, 1);
  conv({1, 10, 11, 9}, {40, 10, 5, 3}, 1, 2, 1);
  conv({1, 90, 9, 9}, {200, 45, 3, 3}, 2, 2, 1);
}

TEST(BFloat16Products, AddInFloat32) {
  if (!has_pairs(Isa::kAuto)) GTEST_SKIP() << "the processor multiplies no bfloat16";
  Tensor ones(DType::kFloat32, {1025, 1}), x(DType::kFloat32, {1, 1025});
  std::fill_n(ones.data<float>(), ones.size(), 1.f);
  std::fill_n(x.data<float>(), x.size(), 1.f);
  const Model model = product_graph("MatMul", {1, 1025}, ones).model(options_of(ProductPrecision::kBFloat16));
  EXPECT_EQ(run_model(model, {x})[0].data<float>()[0], 1025.f);
}

TEST(BFloat16Products, NeedConstantWeightsAndInstructions) {
  GraphBuilder b;
  b.output(b.op("MatMul", {b.input("x", Shape{8, 40}), b.input("w", Shape{40, 30})}));
  const std::vector<Tensor> inputs{random_tensor({8, 40}), random_tensor({40, 30}, 1)};
  expect_close(run_model(b.model(options_of(ProductPrecision::kBFloat16)), inputs)[0], run_model(b.model(), inputs)[0]);
  const GraphBuilder constant = product_graph("MatMul", {8, 40}, inputs[1]);
  for (const Isa isa : supported_isas()) {
    if (has_pairs(isa)) continue;
    expect_close(run_model(constant.model(options_of(ProductPrecision::kBFloat16, isa)), {inputs[0]})[0],
                 run_model(constant.model(options_of(ProductPrecision::kFloat32, isa)), {inputs[0]})[0]);
  }
}

TEST(BFloat16Products, RoundWeightsOf16BitsToo) {
  if (!has_pairs(Isa::kAuto)) GTEST_SKIP() << "the processor multiplies no bfloat16";
  const Tensor w = cast_to(random_tensor({64, 96}, 1), DType::kFloat16), x = random_tensor({5, 64}, 2);
  GraphBuilder b;
  const ValueId wide = b.op("Cast", {b.constant(w)}, {{"to", int64_t(DType::kFloat32)}});
  b.output(b.op("MatMul", {b.input("x", Shape{5, 64}), wide}));
  const Tensor want = run_model(
      product_graph("MatMul", {5, 64}, cast_to(w, DType::kFloat32)).model(options_of(ProductPrecision::kBFloat16)),
      {x})[0];
  expect_close(run_model(b.model(options_of(ProductPrecision::kBFloat16)), {x})[0], want);
}

}  // namespace
}  // namespace linnet::testing
