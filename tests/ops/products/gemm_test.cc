#include <gtest/gtest.h>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

Tensor transposed(const Tensor& x) {
  Tensor y(DType::kFloat32, Shape{x.dim(1), x.dim(0)});
  for (int64_t i = 0; i < x.size(); ++i) y.data<float>()[i % x.dim(1) * x.dim(0) + i / x.dim(1)] = x.data<float>()[i];
  return y;
}

/// Returns the value of c broadcast to [m, n] at (i, j).
double broadcast_at(const Tensor& c, int64_t i, int64_t j) {
  if (!c) return 0;
  const int64_t columns = c.rank() == 0 ? 1 : c.dim(c.rank() - 1), rows = c.rank() < 2 ? 1 : c.dim(0);
  return double(c.data<float>()[(rows == 1 ? 0 : i) * columns + (columns == 1 ? 0 : j)]);
}

Tensor gemm_reference(const Tensor& a, const Tensor& b, const Tensor& c, double alpha, double beta) {
  const int64_t m = a.dim(0), k = a.dim(1), n = b.dim(1);
  Tensor y(DType::kFloat32, Shape{m, n});
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t p = 0; p < k; ++p) sum += double(a.data<float>()[i * k + p]) * double(b.data<float>()[p * n + j]);
      y.data<float>()[i * n + j] = float(alpha * sum + beta * broadcast_at(c, i, j));
    }
  }
  return y;
}

TEST(Gemm, TransposesScalesAndBroadcasts) {
  const int64_t m = 14, k = 37, n = 45;
  const Tensor a = random_tensor({m, k}, 1), b = random_tensor({k, n}, 2);
  const std::vector<Tensor> addends = {Tensor(),
                                       random_tensor({}, 3),
                                       random_tensor({1}, 4),
                                       random_tensor({n}, 5),
                                       random_tensor({1, n}, 6),
                                       random_tensor({m, 1}, 7),
                                       random_tensor({m, n}, 8)};
  for (const Tensor& c : addends) {
    for (const auto& [alpha, beta] : {std::pair{1.f, 1.f}, {0.5f, 1.f}, {1.f, -2.f}, {2.f, 0.f}}) {
      const Tensor want = gemm_reference(a, b, c, double(alpha), double(beta));
      for (int flags = 0; flags < 8; ++flags) {
        OpCase op{"Gemm", 13, {{"alpha", alpha}, {"beta", beta}}};
        op.attributes["transA"] = int64_t{flags & 1};
        op.attributes["transB"] = int64_t{(flags >> 1) & 1};
        const std::vector<Tensor> inputs = {flags & 1 ? transposed(a) : a, flags & 2 ? transposed(b) : b, c};
        SCOPED_TRACE(str("alpha ", alpha, " beta ", beta, " flags ", flags, " c ", describe(c)));
        expect_close(run_op(op, inputs, 1, flags & 4 ? std::vector<int>{1} : std::vector<int>{})[0], want, 1e-4, 1e-5);
      }
    }
  }
}

/// Parts of A are transposed before the product.
TEST(Gemm, TransposesMatricesOfManyParts) {
  for (const auto& [m, k] : {std::pair{int64_t{150}, int64_t{700}}, {65, 2}, {2, 65}, {1, 300}, {300, 1}}) {
    const Tensor a = random_tensor({m, k}, 1), b = random_tensor({k, 40}, 2);
    const Tensor want = gemm_reference(a, b, Tensor(), 1, 1);
    const OpCase op{"Gemm", 13, {{"transA", int64_t{1}}}};
    expect_close(run_op(op, {transposed(a), b})[0], want, 1e-4, 1e-4);
    const Tensor of_doubles = run_op(op, {cast_to(transposed(a), DType::kFloat64), cast_to(b, DType::kFloat64)})[0];
    expect_close(cast_to(of_doubles, DType::kFloat32), want, 1e-4, 1e-4);
  }
}

TEST(Gemm, ComputesOtherTypes) {
  const auto whole = [](const Shape& shape, unsigned seed) {
    return cast_to(cast_to(random_uniform(shape, 0, 9, seed), DType::kInt32), DType::kFloat32);
  };
  const Tensor a = whole({3, 4}, 1), b = whole({4, 5}, 2), c = whole({3, 1}, 3);
  const Tensor want = gemm_reference(a, b, c, 2, 3);
  for (const DType dtype : {DType::kFloat64, DType::kFloat16, DType::kBFloat16, DType::kInt32, DType::kInt64,
                            DType::kUint32, DType::kUint64}) {
    const OpCase op{"Gemm", 13, {{"alpha", 2.f}, {"beta", 3.f}}};
    const Tensor y = run_op(op, {cast_to(a, dtype), cast_to(b, dtype), cast_to(c, dtype)})[0];
    EXPECT_EQ(y.dtype(), dtype);
    expect_close(cast_to(y, DType::kFloat32), want, 0, dtype == DType::kBFloat16 ? 4e-3 : 1e-6);
  }
}

TEST(Gemm, FusesAnActivation) {
  const Tensor a = random_tensor({3, 4}, 1), b = random_tensor({4, 5}, 2), c = random_tensor({5}, 3);
  Tensor want = gemm_reference(a, b, c, 1, 1);
  for (int64_t i = 0; i < want.size(); ++i) {
    float& y = want.data<float>()[i];
    y = std::min(0.5f, std::max(-0.5f, y));
  }
  OpCase op{"Gemm", 1, {{"activation", std::string("Clip")}}, "linnet"};
  op.attributes["activation_alpha"] = -0.5f;
  op.attributes["activation_beta"] = 0.5f;
  expect_close(run_op(op, {a, b, c}, 1, {1})[0], want, 1e-5, 1e-5);
}

TEST(Gemm, HandlesEmptyOperands) {
  const OpCase op{"Gemm", 13};
  EXPECT_EQ(run_op(op, {random_tensor({0, 3}), random_tensor({3, 4})})[0].shape(), (Shape{0, 4}));
  const Tensor c = random_tensor({2, 3});
  EXPECT_TRUE(identical(run_op(op, {random_tensor({2, 0}), random_tensor({0, 3}), c})[0], c));
}

TEST(Gemm, RejectsWhatDoesNotFit) {
  const OpCase op{"Gemm", 13};
  const Tensor a = random_tensor({2, 3}), b = random_tensor({3, 5});
  expect_error(ErrorKind::kShape, "inner dims", [&] { run_op(op, {a, random_tensor({4, 5})}); });
  expect_error(ErrorKind::kShape, "input A", [&] { run_op(op, {random_tensor({1, 2, 3}), b}); });
  expect_error(ErrorKind::kShape, "input C must broadcast to", [&] { run_op(op, {a, b, random_tensor({3, 5})}); });
  expect_error(ErrorKind::kShape, "input C must broadcast to", [&] { run_op(op, {a, b, random_tensor({1, 1, 5})}); });
}

}  // namespace
}  // namespace linnet::testing
