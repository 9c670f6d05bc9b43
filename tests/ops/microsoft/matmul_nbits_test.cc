#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "kernels/isa.h"
#include "ops/microsoft/nbits_case.h"
#include "support/run_op.h"

namespace linnet::testing::matmul_nbits {
namespace {

using Zeros = NBitsCase::Zeros;
const std::vector<int> kConstants{1, 2, 3, 4, 5};

/// The expected value of an element, and the sum of the magnitudes that were added.
struct Expected {
  double value = 0, magnitude = 0;
};

/// Computes the element in float64 from the unquantised values.
Expected exact(const NBitsData& d, int64_t i, int64_t j) {
  Expected e{d.bias.data<float>()[j], 0};
  for (int64_t k = 0; k < d.c.k; ++k) {
    const double term = double(d.a.data<float>()[i * d.c.k + k]) * d.offset_code(k, j) * d.scale(k, j);
    e.value += term;
    e.magnitude += std::abs(term);
  }
  return e;
}

/// Returns the rows of B in blocks of `length` that share a scale.
std::vector<std::vector<int64_t>> rows_in_blocks(const NBitsCase& c, int64_t length) {
  std::vector<std::vector<int64_t>> blocks;
  for (int64_t k = 0; k < c.k; k += length) {
    blocks.emplace_back();
    for (int64_t i = k; i < std::min(c.k, k + length); ++i) blocks.back().push_back(i);
  }
  return blocks;
}

/// Computes the element from rows quantised block by block, with integer products in 64 bits.
Expected quantized(const NBitsData& d, int64_t i, int64_t j, const std::vector<std::vector<int64_t>>& blocks) {
  Expected e{d.bias.data<float>()[j], 0};
  const float* a = d.a.data<float>() + i * d.c.k;
  for (const std::vector<int64_t>& rows : blocks) {
    float most = 0;
    for (const int64_t k : rows) most = std::max(most, std::abs(a[k]));
    double sum = 0;
    for (const int64_t k : rows) sum += std::nearbyint(a[k] * (127.0f / most)) * d.offset_code(k, j);
    const double term = sum * double(most / 127.0f) * d.scale(rows[0], j);
    e.value += term;
    e.magnitude += std::abs(term);
  }
  return e;
}

template <class F>
void expect_products(const NBitsData& d, const Tensor& y, double tolerance, F expected) {
  ASSERT_EQ(y.shape(), Shape({d.c.m, d.c.n}));
  for (int64_t i = 0; i < d.c.m; ++i) {
    for (int64_t j = 0; j < d.c.n; ++j) {
      const Expected e = expected(i, j);
      const double bound = tolerance * (e.magnitude + std::abs(e.value));
      ASSERT_NEAR(y.data<float>()[i * d.c.n + j], e.value, bound)
          << i << ' ' << j << " k " << d.c.k << " bits " << d.c.bits << " block " << d.c.block;
    }
  }
}

constexpr double kFloatTolerance = 4e-7;

void expect_exact(const NBitsData& d, Isa isa, const std::vector<int>& constants = kConstants, int level = 0) {
  const Tensor y = run_op(d.op(level), d.inputs(), 1, constants, isa)[0];
  expect_products(d, y, kFloatTolerance * std::sqrt(double(d.c.k)),
                  [&](int64_t i, int64_t j) { return exact(d, i, j); });
}

void expect_quantized(const NBitsData& d, Isa isa, const std::vector<int>& constants = kConstants) {
  const auto blocks = rows_in_blocks(d.c, std::min<int64_t>(d.c.block, 256));
  const Tensor y = run_op(d.op(4), d.inputs(), 1, constants, isa)[0];
  // Float zero points cancel the remainder of integers up to 127 * 255 * 256.
  const double tolerance = kFloatTolerance * (d.c.zeros == Zeros::kFloats ? 50 : 1) * std::sqrt(double(blocks.size()));
  expect_products(d, y, tolerance, [&](int64_t i, int64_t j) { return quantized(d, i, j, blocks); });
}

/// Returns each base set without features, and with each of its features that multiplies bytes.
std::vector<Isa> sets_of_byte_products() {
  std::vector<Isa> isas;
  for (const IsaSupport& set : isa_support()) {
    if (!set.supported) continue;
    isas.push_back(set.isa);
    for (const FeatureSupport& feature : set.features) {
      const bool multiplies = feature.name == "vnni" || feature.name == "dotprod";
      if (multiplies && feature.supported) isas.push_back(isa_from_name(str(set.name, '+', feature.name)));
    }
  }
  return isas;
}

class MatMulNBits : public ::testing::TestWithParam<Isa> {};
INSTANTIATE_TEST_SUITE_P(, MatMulNBits, ::testing::ValuesIn(sets_of_byte_products()), [](const auto& isa) {
  std::string name = isa_name(isa.param);
  std::replace(name.begin(), name.end(), '+', '_');
  return name;
});

/// Tests all bits, block sizes and zero points, with row counts for all tile heights and depths that are not multiples
/// of a block.
template <class F>
void for_all_forms(F f) {
  unsigned seed = 0;
  for (const int64_t bits : {2, 4, 8}) {
    for (const int64_t block : {16, 32, 64, 128, 256, 512}) {
      for (const Zeros zeros : {Zeros::kNone, Zeros::kBytes, Zeros::kFloats}) {
        for (const int64_t m : {1, 2, 5, 16, 33}) {
          ++seed;
          f(NBitsData({.m = m,
                       .k = block + 16 + m % 7,
                       .n = 35,
                       .bits = bits,
                       .block = block,
                       .zeros = zeros,
                       .half_scales = seed % 2 == 0,
                       .seed = seed}));
        }
      }
    }
  }
}

TEST_P(MatMulNBits, IsTheProductOfWidenedWeights) {
  for_all_forms([](const NBitsData& d) { expect_exact(d, GetParam()); });
}

TEST_P(MatMulNBits, OfQuantizedRowsIsExactInIntegers) {
  for_all_forms([](const NBitsData& d) { expect_quantized(d, GetParam()); });
}

TEST_P(MatMulNBits, HasNoOverflowAtExtremes) {
  for (const int64_t bits : {2, 4, 8}) {
    for (const int fill : {0x00, 0xff}) {
      NBitsData d({.m = 3, .k = 512, .n = 33, .bits = bits, .block = 256, .zeros = Zeros::kBytes});
      std::fill_n(d.b.data<uint8_t>(), d.b.size(), uint8_t(fill));
      std::fill_n(d.zeros.data<uint8_t>(), d.zeros.size(), uint8_t(~fill));
      for (int64_t i = 0; i < d.a.size(); ++i) d.a.data<float>()[i] = i / 512 == 1 ? -2.0f : 2.0f;
      expect_quantized(d, GetParam());
    }
  }
}

TEST_P(MatMulNBits, TakesRowsInAnyOrder) {
  for (const int64_t m : {1, 14}) {
    const NBitsData d({.m = m, .k = 200, .n = 18, .zeros = Zeros::kBytes, .ordered = true, .seed = 5});
    expect_exact(d, GetParam());
    expect_exact(d, GetParam(), {});
    // Blocks contain other values of a row than in order, so level 4 is compared with the product that it approximates.
    const Tensor y = run_op(d.op(4), d.inputs(), 1, kConstants, GetParam())[0];
    expect_products(d, y, 0.02, [&](int64_t i, int64_t j) { return exact(d, i, j); });
  }
}

TEST_P(MatMulNBits, TakesWeightsThatAreNotConstant) {
  for (const Zeros zeros : {Zeros::kNone, Zeros::kBytes, Zeros::kFloats}) {
    const NBitsData d({.m = 3, .k = 70, .n = 40, .zeros = zeros, .seed = 6});
    for (const std::vector<int>& constants : {std::vector<int>{}, {1}, {2, 3}}) {
      expect_exact(d, GetParam(), constants);
      expect_quantized(d, GetParam(), constants);
    }
  }
}

TEST(MatMulNBitsOp, ComputesInFloatsUpToLevelThree) {
  const NBitsData d({.m = 2, .k = 96, .n = 7, .seed = 7});
  for (const int level : {0, 1, 2, 3}) expect_exact(d, Isa::kAuto, kConstants, level);
}

TEST(MatMulNBitsOp, RowsDoNotDependOnTheirNumberOrOnThreads) {
  const NBitsData many({.m = 130, .k = 300, .n = 80, .zeros = Zeros::kBytes, .seed = 8});
  for (const int level : {0, 4}) {
    const Tensor y = run_op(many.op(level), many.inputs(), 1, kConstants, Isa::kAuto, 1)[0];
    expect_close(run_op(many.op(level), many.inputs(), 1, kConstants, Isa::kAuto, 3)[0], y);
    for (const int64_t row : {0, 77, 129}) {
      std::vector<Tensor> inputs = many.inputs();
      inputs[0] = Tensor(DType::kFloat32, {1, 300});
      std::copy_n(many.a.data<float>() + row * 300, 300, inputs[0].data<float>());
      const Tensor one = run_op(many.op(level), inputs, 1, kConstants)[0];
      EXPECT_TRUE(std::equal(one.data<float>(), one.data<float>() + 80, y.data<float>() + row * 80)) << row;
    }
  }
}

TEST(MatMulNBitsOp, TakesDimsOfABatchAndHalves) {
  const NBitsData d({.m = 6, .k = 64, .n = 5, .half_scales = true, .seed = 9});
  std::vector<Tensor> inputs = d.inputs();
  const Tensor y = run_op(d.op(0), inputs, 1, kConstants)[0];
  inputs[0] = inputs[0].reshaped({2, 3, 64});
  expect_close(run_op(d.op(0), inputs, 1, kConstants)[0], y.reshaped({2, 3, 5}));
  for (const int i : {0, 2, 5}) inputs[size_t(i)] = cast_to(inputs[size_t(i)], DType::kFloat16);
  const Tensor half = run_op(d.op(0), inputs, 1, kConstants)[0];
  EXPECT_EQ(half.dtype(), DType::kFloat16);
  expect_close(cast_to(half, DType::kFloat32), y.reshaped({2, 3, 5}), 0.01, 0.002);
}

TEST(MatMulNBitsOp, QuantizesZerosAndWhatIsNotFinite) {
  NBitsData d({.m = 4, .k = 64, .n = 5, .seed = 10});
  std::fill_n(d.a.data<float>(), 64, 0.0f);
  std::fill_n(d.a.data<float>() + 64, 64, 1e-40f);
  d.a.data<float>()[2 * 64 + 3] = std::numeric_limits<float>::infinity();
  d.a.data<float>()[3 * 64 + 63] = std::numeric_limits<float>::quiet_NaN();
  const Tensor y = run_op(d.op(4), d.inputs(), 1, kConstants)[0];
  for (int64_t j = 0; j < 5; ++j) {
    EXPECT_EQ(y.data<float>()[j], d.bias.data<float>()[j]);
    EXPECT_EQ(y.data<float>()[5 + j], d.bias.data<float>()[j]);
    EXPECT_TRUE(std::isnan(y.data<float>()[10 + j]));
    EXPECT_TRUE(std::isnan(y.data<float>()[15 + j]));
  }
}

void expect_refused(ErrorKind kind, const std::string& text, const std::string& attribute, int64_t value) {
  const NBitsData d({.k = 64, .n = 5});
  OpCase op = d.op(0);
  op.attributes[attribute] = value;
  expect_error(kind, text, [&] { run_op(op, d.inputs(), 1, kConstants); });
}

TEST(MatMulNBitsOp, RefusesAttributes) {
  expect_refused(ErrorKind::kModel, "block_size must be a power of two", "block_size", 48);
  expect_refused(ErrorKind::kModel, "block_size must be a power of two", "block_size", 8);
  expect_refused(ErrorKind::kModel, "bits must be 2, 4 or 8", "bits", 3);
  expect_refused(ErrorKind::kModel, "accuracy_level must be", "accuracy_level", 5);
  expect_refused(ErrorKind::kModel, "K must be", "K", 0);
  expect_refused(ErrorKind::kModel, "N must be", "N", -1);
  expect_refused(ErrorKind::kUnsupported, "weight_prepacked", "weight_prepacked", 1);
  expect_refused(ErrorKind::kShape, "input B must have", "bits", 8);
  expect_refused(ErrorKind::kShape, "input B must have", "N", 6);
  expect_refused(ErrorKind::kShape, "K", "K", 63);
}

TEST(MatMulNBitsOp, RefusesInputsThatDoNotFit) {
  const NBitsData d({.k = 64, .n = 5, .zeros = Zeros::kBytes, .ordered = true});
  const auto refuse = [&](int input, const Tensor& tensor, ErrorKind kind, const std::string& text) {
    std::vector<Tensor> inputs = d.inputs();
    inputs[size_t(input)] = tensor;
    expect_error(kind, text, [&] { run_op(d.op(0), inputs, 1, kConstants); });
  };
  refuse(2, random_tensor({9}), ErrorKind::kShape, "input scales must have 10");
  refuse(3, Tensor(DType::kUint8, {6}), ErrorKind::kShape, "input zero_points must have 5");
  refuse(3, random_tensor({5}), ErrorKind::kShape, "input zero_points must have 10");
  refuse(4, Tensor::of<int32_t>({0, 1}), ErrorKind::kShape, "input g_idx must have 64");
  refuse(5, random_tensor({4}), ErrorKind::kShape, "bias");
  refuse(1, random_tensor({5, 2, 16}), ErrorKind::kType, "input B");
  Tensor scales = random_tensor({10});
  scales.data<float>()[7] = std::numeric_limits<float>::quiet_NaN();
  refuse(2, scales, ErrorKind::kModel, "input scales must be finite, got nan at element 7");
  Tensor order(DType::kInt32, {64});
  std::fill_n(order.data<int32_t>(), 64, 0);
  order.data<int32_t>()[9] = 2;
  refuse(4, order, ErrorKind::kModel, "input g_idx must name one of 2 blocks, got 2 at element 9");
}

}  // namespace
}  // namespace linnet::testing::matmul_nbits
