#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/byte_graph.h"
#include "support/run_op.h"

// Tests linnet::QLinearMatMul with weights, and with matrices of batches that are only known in the run.
namespace linnet::testing {
namespace {

struct MatMulCase {
  Shape x, w;
  DType dtype;  ///< The dtype of w.
  bool transposed = false, constant = false;
};

const MatMulCase kCases[] = {
    {{2, 5, 33}, {33, 20}, DType::kInt8, false, true},
    {{7, 16}, {16, 9}, DType::kUint8, false, false},
    {{7, 16}, {9, 16}, DType::kInt8, true, true},
    {{2, 3, 10, 24}, {2, 3, 24, 17}, DType::kUint8},
    {{2, 3, 10, 24}, {2, 3, 40, 24}, DType::kUint8, true},
    {{2, 3, 5, 7}, {3, 7, 6}, DType::kInt8},
    {{2, 3, 5, 7}, {2, 1, 6, 7}, DType::kUint8, true, true},
    {{4, 1, 70}, {4, 70, 3}, DType::kUint8},
};

constexpr int kXZero = 99;
constexpr float kXScale = 0.5f, kWScale = 0x1p-6f;

/// A product whose scales are powers of two, so that results are exact.
struct QuantizedProduct {
  explicit QuantizedProduct(const MatMulCase& one)
      : c(one), x(random_bytes(c.x, DType::kUint8, 1)), w(random_bytes(c.w, c.dtype, 2)) {
    w_zero = least_of(c.dtype) + 77;
  }

  Tensor run(Isa isa, float y_scale = 0, int threads = 2) const {
    std::vector<Tensor> inputs{x, Tensor::scalar(kXScale), Tensor::scalar(uint8_t{kXZero}), w, Tensor::scalar(kWScale)};
    inputs.resize(14);
    if (y_scale > 0) inputs[5] = Tensor::scalar(y_scale), inputs[6] = Tensor::scalar(uint8_t{100});
    inputs[13] = byte(c.dtype, w_zero);
    const Attributes attributes{{"transposes_w", int64_t{c.transposed}}};
    return run_op({"QLinearMatMul", 1, attributes, "linnet"}, inputs, 1,
                  c.constant ? std::vector<int>{3} : std::vector<int>{}, isa, threads)[0];
  }

  /// Computes the element in 64 bits.
  double real(int64_t product, int64_t i, int64_t j) const {
    const int64_t depth = c.x[c.x.rank() - 1], columns = c.w[c.w.rank() - (c.transposed ? 2 : 1)];
    const int64_t m = c.x[c.x.rank() - 2];
    int64_t sum = 0;
    for (int64_t k = 0; k < depth; ++k) {
      const int64_t at = w_matrix(product) * depth * columns + (c.transposed ? j * depth + k : k * columns + j);
      const int64_t b = c.dtype == DType::kInt8 ? w.data<int8_t>()[at] : w.data<uint8_t>()[at];
      sum += (x.data<uint8_t>()[(product * m + i) * depth + k] - kXZero) * (b - w_zero);
    }
    return double(sum) * double(kXScale) * double(kWScale);
  }
  int64_t w_matrix(int64_t product) const {
    if (c.w.rank() == 2) return 0;
    if (c.w.rank() < c.x.rank()) return product % c.w[0];
    return c.w[1] == 1 ? product / c.x[1] : product;
  }

  const MatMulCase& c;
  Tensor x, w;
  int w_zero;
};

class QuantizedMatMul : public ::testing::TestWithParam<Isa> {};

TEST_P(QuantizedMatMul, GivesTheExactFloatsAndBytes) {
  for (const MatMulCase& c : kCases) {
    const QuantizedProduct p(c);
    const Tensor floats = p.run(GetParam()), bytes = p.run(GetParam(), 4.0f);
    const int64_t m = c.x[c.x.rank() - 2], n = floats.shape()[floats.rank() - 1];
    for (int64_t i = 0; i < floats.size(); ++i) {
      const double want = p.real(i / n / m, i / n % m, i % n);
      ASSERT_EQ(floats.data<float>()[i], float(want)) << i;
      ASSERT_EQ(bytes.data<uint8_t>()[i], std::clamp(std::nearbyint(want / 4) + 100, 0.0, 255.0)) << i;
    }
    EXPECT_TRUE(identical(p.run(GetParam(), 4.0f, 1), bytes));
  }
}

/// With the greatest activations, sums of two products just fit into 16 bits, exceed them by one, or exceed them by
/// far.
TEST_P(QuantizedMatMul, GivesTheExactFloatsOfWeightsOfOneMagnitude) {
  for (const DType dtype : {DType::kInt8, DType::kUint8}) {
    for (const int most : {64, 65, 127}) {
      const MatMulCase c{{5, 33}, {33, 20}, dtype, false, true};
      QuantizedProduct p(c);
      std::fill_n(p.x.data<uint8_t>(), p.x.size(), uint8_t{255});
      auto* w = static_cast<uint8_t*>(p.w.raw());
      const int middle = dtype == DType::kUint8 ? 128 : 0;
      for (int64_t i = 0; i < p.w.size(); ++i) w[i] = uint8_t(middle + (i % 7 < 5 ? most : -most));
      const Tensor y = p.run(GetParam());
      for (int64_t i = 0; i < y.size(); ++i) ASSERT_EQ(y.data<float>()[i], float(p.real(0, i / 20, i % 20))) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, QuantizedMatMul, ::testing::ValuesIn(supported_byte_isas()),
                         [](const auto& isa) { return isa_test_name(isa.param); });

TEST(QuantizedMatMulErrors, NameTheInput) {
  const auto run = [](const Shape& x, const Shape& w, DType dtype, const Tensor& zero, const Tensor& b = {}) {
    std::vector<Tensor> inputs{Tensor(DType::kUint8, x), Tensor::scalar(1.0f), Tensor::scalar(uint8_t{0}),
                               Tensor(dtype, w), Tensor::scalar(1.0f)};
    inputs.resize(14);
    inputs[7] = b;
    inputs[13] = zero;
    run_op({"QLinearMatMul", 1, {}, "linnet"}, inputs);
  };
  const Tensor zero = Tensor::scalar(uint8_t{0});
  expect_error(ErrorKind::kModel, "needs w_zero", [&] { run({2, 3}, {3, 4}, DType::kUint8, {}); });
  expect_error(ErrorKind::kType, "w_zero", [&] { run({2, 3}, {3, 4}, DType::kInt8, zero); });
  expect_error(ErrorKind::kShape, "batch dims", [&] { run({2, 3}, {5, 3, 4}, DType::kUint8, zero); });
  expect_error(ErrorKind::kShape, "all batches", [&] { run({1, 2, 3}, {5, 3, 4}, DType::kUint8, zero); });
  expect_error(ErrorKind::kType, "B must be float32", [&] {
    run({5, 2, 3}, {5, 3, 4}, DType::kUint8, zero, Tensor::of<int32_t>({1, 2, 3, 4}));
  });
}

}  // namespace
}  // namespace linnet::testing
