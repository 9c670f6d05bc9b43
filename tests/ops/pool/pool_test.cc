#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <span>

#include "ops/pool/pool_reference.h"
#include "support/conv_reference.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

class Pool : public ::testing::TestWithParam<Isa> {};

void check(const std::string& op, Attributes attributes, const Tensor& x, const Tensor& want, Isa isa) {
  expect_close(run_op({op, 22, attributes}, {x}, 1, {}, isa)[0], want, 1e-6, 1e-6);
  if (op == "LpPool") return;
  const Tensor last = run_op({op, 1, attributes, "linnet"}, {to_channels_last(x)}, 1, {}, isa)[0];
  expect_close(to_channels_first(last), want, 1e-6, 1e-6);
}

TEST_P(Pool, MatchesTheDoubleReferenceInBothLayouts) {
  for (const PoolSettings& s : kPoolSettings) {
    for (const int64_t channels : {1, 5, 20}) {
      const Tensor x = random_tensor({2, channels, 11, 13}, unsigned(channels));
      check("MaxPool", s.attributes(), x, pool_reference(x, s, largest), GetParam());
      check("AveragePool", s.attributes(), x, pool_reference(x, s, mean), GetParam());
      auto padded = s.attributes();
      padded["count_include_pad"] = int64_t{1};
      check("AveragePool", padded, x, pool_reference(x, s, padded_mean), GetParam());
      auto cubes = s.attributes();
      cubes["p"] = int64_t{3};
      check("LpPool", cubes, x, pool_reference(x, s, norm), GetParam());
    }
  }
}

TEST_P(Pool, LinesOfManyVectorsAreTakenApartByTheirStride) {
  const Tensor x = random_tensor({1, 2, 5, 83}, 8);
  for (const int64_t kernel : {1, 3, 4}) {
    for (int64_t stride = 1; stride <= 5; ++stride) {
      for (const int64_t dilation : {1, 2}) {
        const PoolSettings s{
            .kernel = {2, kernel}, .strides = {1, stride}, .pads = {0, kernel > 1, 0, 0}, .dilations = {1, dilation}};
        check("MaxPool", s.attributes(), x, pool_reference(x, s, largest), GetParam());
        check("AveragePool", s.attributes(), x, pool_reference(x, s, mean), GetParam());
      }
    }
  }
  const PoolSettings far{.kernel = {1, 3}, .strides = {1, 200}};
  check("MaxPool", far.attributes(), x, pool_reference(x, far, largest), GetParam());
}

TEST_P(Pool, PlanesOfFewRowsAndRowsOfFewPlanesAreRight) {
  const PoolSettings small{.kernel = {3, 3}, .pads = {1, 1, 1, 1}}, tall{.kernel = {700, 2}};
  for (const Shape& shape : {Shape{2, 37, 3, 5}, {1, 9, 1, 7}, {1, 7, 300, 9}, {1, 2, 17, 33}, {1, 1, 1200, 5}}) {
    const PoolSettings& s = shape[2] == 1200 ? tall : small;
    const Tensor x = random_tensor(shape, 12);
    check("MaxPool", s.attributes(), x, pool_reference(x, s, largest), GetParam());
    check("AveragePool", s.attributes(), x, pool_reference(x, s, mean), GetParam());
  }
}

TEST_P(Pool, GlobalPoolsReduceWholeImages) {
  for (const int64_t channels : {1, 5, 130}) {
    const Tensor x = random_tensor({2, channels, 9, 17}, 3);
    const PoolSettings whole{.kernel = {9, 17}};
    check("GlobalAveragePool", {}, x, pool_reference(x, whole, mean), GetParam());
    check("GlobalMaxPool", {}, x, pool_reference(x, whole, largest), GetParam());
  }
}

void check_bytes(const std::string& op, const Attributes& attributes, const Tensor& bytes, const Tensor& want,
                 Isa isa) {
  const Tensor last = cast_to(to_channels_last(cast_to(bytes, DType::kFloat32)), bytes.dtype());
  const bool largest_byte = op == "MaxPool" || op == "GlobalMaxPool";
  Attributes with_grid = attributes;
  if (!largest_byte) {
    with_grid["x_scale"] = 0.5f;
    with_grid["x_zero_point"] = int64_t{-3};
  }
  const Tensor y = run_op({op, 1, with_grid, "linnet"}, {last}, 1, {}, isa)[0];
  EXPECT_EQ(y.dtype(), largest_byte ? bytes.dtype() : DType::kFloat32);
  expect_close(to_channels_first(cast_to(y, DType::kFloat32)), want, 1e-6, 1e-6);
  if (!largest_byte) return;
  const Tensor first = run_op({op, 22, attributes}, {bytes}, 1, {}, isa)[0];
  expect_close(first, cast_to(want, bytes.dtype()));
}

TEST_P(Pool, BytesMatchTheDoubleReferenceInBothLayouts) {
  for (const DType dtype : {DType::kInt8, DType::kUint8}) {
    const float least = dtype == DType::kInt8 ? -128.0f : 0.0f;
    for (const int64_t channels : {1, 5, 20, 130}) {
      const Shape shape{2, channels, 11, 13};
      const Tensor bytes = cast_to(random_uniform(shape, least, least + 255.9f, unsigned(channels)), dtype);
      const Tensor values = cast_to(bytes, DType::kFloat32);
      Tensor dequantized = values.clone();
      for (float& value : std::span(dequantized.data<float>(), size_t(values.size()))) value = (value + 3) / 2;
      for (const PoolSettings& s : kPoolSettings) {
        check_bytes("MaxPool", s.attributes(), bytes, pool_reference(values, s, largest), GetParam());
        check_bytes("AveragePool", s.attributes(), bytes, pool_reference(dequantized, s, mean), GetParam());
        auto padded = s.attributes();
        padded["count_include_pad"] = int64_t{1};
        check_bytes("AveragePool", padded, bytes, pool_reference(dequantized, s, padded_mean), GetParam());
      }
      const PoolSettings whole{.kernel = {11, 13}};
      check_bytes("GlobalMaxPool", {}, bytes, pool_reference(values, whole, largest), GetParam());
      check_bytes("GlobalAveragePool", {}, bytes, pool_reference(dequantized, whole, mean), GetParam());
    }
  }
}

TEST_P(Pool, PlanesOfEveryWidthAndTypeMatchTheReference) {
  for (int64_t width = 1; width <= 40; ++width) {
    for (int64_t stride = 1; stride <= 3; ++stride) {
      const PoolSettings s{.kernel = {3, 3}, .strides = {stride, stride}, .pads = {1, 2, 1, 1}};
      const Tensor x = random_uniform({1, 3, 20, width}, -100, 100, unsigned(width));
      for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kInt8}) {
        const Tensor given = cast_to(x, dtype);
        const Tensor want = pool_reference(cast_to(given, DType::kFloat32), s, largest);
        expect_close(run_op({"MaxPool", 22, s.attributes()}, {given}, 1, {}, GetParam())[0], cast_to(want, dtype));
      }
      expect_close(run_op({"AveragePool", 22, s.attributes()}, {x}, 1, {}, GetParam())[0], pool_reference(x, s, mean),
                   1e-4, 1e-5);
    }
  }
}

TEST_P(Pool, WindowsThatAreMostlyPaddingMatchTheReference) {
  const Tensor x = random_tensor({1, 2, 3, 4}, 5);
  for (const PoolSettings& s : {PoolSettings{.kernel = {1, 40}, .pads = {0, 39, 0, 39}},
                                PoolSettings{.kernel = {1, 3}, .pads = {0, 1500, 0, 1500}, .dilations = {1, 1000}}}) {
    expect_close(run_op({"MaxPool", 22, s.attributes()}, {x}, 1, {}, GetParam())[0], pool_reference(x, s, largest));
    const auto mean_or_zero = [](const std::vector<double>& values, int64_t) {
      return values.empty() ? 0.0 : mean(values, 0);
    };
    expect_close(run_op({"AveragePool", 22, s.attributes()}, {x}, 1, {}, GetParam())[0],
                 pool_reference(x, s, mean_or_zero), 1e-6, 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, Pool, ::testing::ValuesIn(supported_isas()));

TEST(PoolThreads, IsBitwiseEqualForAnyNumberOfThreads) {
  const PoolSettings s{.kernel = {3, 5}, .strides = {2, 1}, .pads = {1, 2, 1, 2}};
  const Tensor x = random_tensor({2, 9, 61, 47}, 5);
  for (const char* op : {"MaxPool", "AveragePool"}) {
    const auto run = [&](int threads) { return run_op({op, 22, s.attributes()}, {x}, 1, {}, Isa::kAuto, threads)[0]; };
    const Tensor one = run(1);
    for (const int threads : {2, 3, 7}) EXPECT_TRUE(identical(one, run(threads)));
  }
}

TEST(LpPool, GivesZeroForAnImageWithoutPixels) {
  const Tensor x = random_tensor({1, 2, int64_t{1} << 60, 0});
  expect_close(run_op({"GlobalLpPool", 2}, {x})[0], Tensor::of<float>({1, 2, 1, 1}, {0, 0}));
}

/// The result equals that of data padded before by zeros, or by a value that is less than no element.
TEST_P(Pool, PadsMayBeAsLargeAsTheWindow) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Tensor x = random_tensor({2, 3, 5, 6});
  const auto padded = [&](float value) {
    return run_op({"Pad", 13}, {x, Tensor::of(Ints{0, 0, 2, 3, 0, 0, 1, 4}), Tensor::scalar(value)})[0];
  };
  const Attributes window{{"kernel_shape", Ints{2, 3}}, {"count_include_pad", int64_t{1}}};
  Attributes pads = window;
  pads["pads"] = Ints{2, 3, 1, 4};
  expect_close(run_op({"AveragePool", 19, pads}, {x}, 1, {}, GetParam())[0],
               run_op({"AveragePool", 19, window}, {padded(0)}, 1, {}, GetParam())[0], 1e-6, 1e-6);
  const Attributes largest{{"kernel_shape", Ints{2, 3}}},
      padded_largest{{"kernel_shape", Ints{2, 3}}, {"pads", pads["pads"]}};
  for (const int outputs : {1, 2}) {
    const Tensor y = run_op({"MaxPool", 12, padded_largest}, {x}, outputs, {}, GetParam())[0];
    EXPECT_TRUE(identical(y, run_op({"MaxPool", 12, largest}, {padded(-infinity)}, 1, {}, GetParam())[0]));
  }
}

TEST(AveragePool, SaysWhichBytesItDoesNotTake) {
  const auto pool = [](const char* domain, Attributes attributes, DType dtype) {
    return [=] { run_op({"GlobalAveragePool", 1, attributes, domain}, {cast_to(random_tensor({1, 2, 2, 3}), dtype)}); };
  };
  pool("linnet", {{"x_scale", 0.5f}}, DType::kUint8)();
  expect_error(ErrorKind::kType, "X", pool("linnet", {{"x_scale", 0.5f}}, DType::kFloat32));
  expect_error(ErrorKind::kType, "X", pool("linnet", {}, DType::kUint8));
  expect_error(ErrorKind::kType, "X", pool("", {{"x_scale", 0.5f}}, DType::kUint8));
  for (const float scale : {0.0f, -1.0f, std::numeric_limits<float>::infinity()}) {
    expect_error(ErrorKind::kModel, "x_scale", pool("linnet", {{"x_scale", scale}}, DType::kUint8));
  }
  for (const int64_t zero : {-129, 256}) {
    expect_error(ErrorKind::kModel, "x_zero_point",
                 pool("linnet", {{"x_scale", 1.0f}, {"x_zero_point", zero}}, DType::kUint8));
  }
}

TEST(AveragePool, PoolsVolumes) {
  const Tensor x = Tensor::of(Shape{1, 1, 2, 2, 2}, std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7});
  expect_close(run_op({"AveragePool", 19, {{"kernel_shape", Ints{2, 1, 2}}}}, {x})[0],
               Tensor::of(Shape{1, 1, 1, 2, 1}, std::vector<double>{2.5, 4.5}));
}

TEST_P(Pool, WindowsOfVolumesAreDilatedAlongEachAxisOfTheirOwn) {
  const int64_t in[] = {7, 4, 9}, out[] = {3, 3, 7}, dilations[] = {2, 1, 1}, kernel[] = {3, 2, 3};
  const Tensor x = random_tensor({2, 3, in[0], in[1], in[2]});
  Tensor largest(DType::kFloat32, {2, 3, out[0], out[1], out[2]}), mean(DType::kFloat32, largest.shape());
  for (int64_t i = 0; i < largest.size(); ++i) {
    const int64_t plane = i / (out[0] * out[1] * out[2]);
    const int64_t z = i / (out[1] * out[2]) % out[0], y = i / out[2] % out[1], first = i % out[2];
    double best = -INFINITY, sum = 0;
    for (int64_t d = 0; d < kernel[0]; ++d) {
      for (int64_t h = 0; h < kernel[1]; ++h) {
        for (int64_t w = 0; w < kernel[2]; ++w) {
          const int64_t row = (plane * in[0] + z + d * dilations[0]) * in[1] + y + h * dilations[1];
          const double value = double(x.data<float>()[row * in[2] + first + w * dilations[2]]);
          best = std::max(best, value);
          sum += value;
        }
      }
    }
    largest.data<float>()[i] = float(best);
    mean.data<float>()[i] = float(sum / double(kernel[0] * kernel[1] * kernel[2]));
  }
  const Attributes attributes{{"kernel_shape", Ints(kernel, kernel + 3)},
                              {"dilations", Ints(dilations, dilations + 3)}};
  expect_close(run_op({"MaxPool", 22, attributes}, {x}, 1, {}, GetParam())[0], largest);
  expect_close(run_op({"AveragePool", 22, attributes}, {x}, 1, {}, GetParam())[0], mean, 1e-6, 1e-6);
}

}  // namespace
}  // namespace linnet::testing
