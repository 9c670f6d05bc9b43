#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <span>

#include "support/conv_reference.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

using Ints = std::vector<int64_t>;

struct Settings {
  Ints kernel{3, 3}, strides{1, 1}, pads{0, 0, 0, 0}, dilations{1, 1};
  bool ceil_mode = false;

  Attributes attributes() const {
    return {{"kernel_shape", kernel},
            {"strides", strides},
            {"pads", pads},
            {"dilations", dilations},
            {"ceil_mode", int64_t(ceil_mode)}};
  }
};

int64_t windows(const Settings& s, size_t axis, int64_t in) {
  int64_t count = 0;
  for (int64_t first = -s.pads[axis];; first += s.strides[axis], ++count) {
    const int64_t last = first + (s.kernel[axis] - 1) * s.dilations[axis], end = in + s.pads[axis + 2];
    if (last >= end && !(s.ceil_mode && count > 0 && last - s.strides[axis] < end - 1 && first < in)) return count;
  }
}

/// Walks over the cells of each window in the order x before y; f(value, inside the image, inside the padding).
template <class F>
Tensor pool_reference(const Tensor& x, const Settings& s, F reduce) {
  const int64_t height = x.dim(2), width = x.dim(3), oh = windows(s, 0, height), ow = windows(s, 1, width);
  Tensor y(DType::kFloat32, Shape{x.dim(0), x.dim(1), oh, ow});
  for (int64_t i = 0; i < y.size(); ++i) {
    const int64_t plane = i / ow / oh, top = i / ow % oh * s.strides[0] - s.pads[0],
                  left = i % ow * s.strides[1] - s.pads[1];
    std::vector<double> values;
    int64_t padded = 0;
    for (int64_t kx = 0; kx < s.kernel[1]; ++kx) {
      for (int64_t ky = 0; ky < s.kernel[0]; ++ky) {
        const int64_t r = top + ky * s.dilations[0], c = left + kx * s.dilations[1];
        padded += r < height + s.pads[2] && c < width + s.pads[3];
        if (r < 0 || r >= height || c < 0 || c >= width) continue;
        values.push_back(double(x.data<float>()[(plane * height + r) * width + c]));
      }
    }
    y.data<float>()[i] = float(reduce(values, padded));
  }
  return y;
}

double largest(const std::vector<double>& values, int64_t) {
  double best = -std::numeric_limits<double>::infinity();
  for (const double value : values) best = std::max(best, value);
  return best;
}
double mean(const std::vector<double>& values, int64_t) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / double(values.size());
}
double padded_mean(const std::vector<double>& values, int64_t padded) {
  return mean(values, 0) * double(values.size()) / double(padded);
}
double norm(const std::vector<double>& values, int64_t) {
  double sum = 0;
  for (const double value : values) sum += std::pow(std::abs(value), 3);
  return std::cbrt(sum);
}

const Settings kSettings[] = {
    {},
    {.strides = {2, 2}, .pads = {1, 1, 1, 1}},
    {.kernel = {2, 5}, .strides = {3, 2}, .pads = {0, 2, 1, 1}, .ceil_mode = true},
    {.kernel = {3, 2}, .strides = {2, 1}, .pads = {1, 0, 0, 1}, .dilations = {2, 3}},
    {.kernel = {1, 1}, .strides = {2, 2}},
    {.kernel = {7, 6}, .strides = {1, 1}, .pads = {3, 3, 3, 3}, .ceil_mode = true},
};

class Pool : public ::testing::TestWithParam<Isa> {};

void check(const std::string& op, Attributes attributes, const Tensor& x, const Tensor& want, Isa isa) {
  expect_close(run_op({op, 22, attributes}, {x}, 1, {}, isa)[0], want, 1e-6, 1e-6);
  if (op == "LpPool") return;
  const Tensor last = run_op({op, 1, attributes, "linnet"}, {to_channels_last(x)}, 1, {}, isa)[0];
  expect_close(to_channels_first(last), want, 1e-6, 1e-6);
}

TEST_P(Pool, MatchesTheDoubleReferenceInBothLayouts) {
  for (const Settings& s : kSettings) {
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
        const Settings s{
            .kernel = {2, kernel}, .strides = {1, stride}, .pads = {0, kernel > 1, 0, 0}, .dilations = {1, dilation}};
        check("MaxPool", s.attributes(), x, pool_reference(x, s, largest), GetParam());
        check("AveragePool", s.attributes(), x, pool_reference(x, s, mean), GetParam());
      }
    }
  }
  const Settings far{.kernel = {1, 3}, .strides = {1, 200}};
  check("MaxPool", far.attributes(), x, pool_reference(x, far, largest), GetParam());
}

TEST_P(Pool, PlanesOfFewRowsAndRowsOfFewPlanesAreRight) {
  const Settings small{.kernel = {3, 3}, .pads = {1, 1, 1, 1}}, tall{.kernel = {700, 2}};
  for (const Shape& shape : {Shape{2, 37, 3, 5}, {1, 9, 1, 7}, {1, 7, 300, 9}, {1, 2, 17, 33}, {1, 1, 1200, 5}}) {
    const Settings& s = shape[2] == 1200 ? tall : small;
    const Tensor x = random_tensor(shape, 12);
    check("MaxPool", s.attributes(), x, pool_reference(x, s, largest), GetParam());
    check("AveragePool", s.attributes(), x, pool_reference(x, s, mean), GetParam());
  }
}

TEST_P(Pool, GlobalPoolsReduceWholeImages) {
  for (const int64_t channels : {1, 5, 130}) {
    const Tensor x = random_tensor({2, channels, 9, 17}, 3);
    const Settings whole{.kernel = {9, 17}};
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
      for (const Settings& s : kSettings) {
        check_bytes("MaxPool", s.attributes(), bytes, pool_reference(values, s, largest), GetParam());
        check_bytes("AveragePool", s.attributes(), bytes, pool_reference(dequantized, s, mean), GetParam());
        auto padded = s.attributes();
        padded["count_include_pad"] = int64_t{1};
        check_bytes("AveragePool", padded, bytes, pool_reference(dequantized, s, padded_mean), GetParam());
      }
      const Settings whole{.kernel = {11, 13}};
      check_bytes("GlobalMaxPool", {}, bytes, pool_reference(values, whole, largest), GetParam());
      check_bytes("GlobalAveragePool", {}, bytes, pool_reference(dequantized, whole, mean), GetParam());
    }
  }
}

TEST_P(Pool, PlanesOfEveryWidthAndTypeMatchTheReference) {
  for (int64_t width = 1; width <= 40; ++width) {
    for (int64_t stride = 1; stride <= 3; ++stride) {
      const Settings s{.kernel = {3, 3}, .strides = {stride, stride}, .pads = {1, 2, 1, 1}};
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
  for (const Settings& s : {Settings{.kernel = {1, 40}, .pads = {0, 39, 0, 39}},
                            Settings{.kernel = {1, 3}, .pads = {0, 1500, 0, 1500}, .dilations = {1, 1000}}}) {
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
  const Settings s{.kernel = {3, 5}, .strides = {2, 1}, .pads = {1, 2, 1, 2}};
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

TEST(MaxPool, IndicesPointAtTheFirstLargestElement) {
  const Tensor x = Tensor::of(Shape{1, 2, 2, 3}, std::vector<float>{1, 5, 2, 5, 0, 7, 3, 3, 3, 3, 3, 4});
  const Attributes attributes{{"kernel_shape", Ints{2, 2}}};
  auto y = run_op({"MaxPool", 12, attributes}, {x}, 2);
  expect_close(y[0], Tensor::of(Shape{1, 2, 1, 2}, std::vector<float>{5, 7, 3, 4}));
  expect_close(y[1], Tensor::of(Shape{1, 2, 1, 2}, std::vector<int64_t>{1, 5, 6, 11}));
  auto by_columns = attributes;
  by_columns["storage_order"] = int64_t{1};
  y = run_op({"MaxPool", 12, by_columns}, {x}, 2);
  expect_close(y[1], Tensor::of(Shape{1, 2, 1, 2}, std::vector<int64_t>{2, 5, 6, 11}));
}

/// Each window's largest element, looked for one by one: NaN is larger than any, and the last of them counts.
void expect_indices(const Tensor& x, const Settings& s) {
  const int64_t height = x.dim(2), width = x.dim(3);
  const std::vector<Tensor> y = run_op({"MaxPool", 12, s.attributes()}, {x}, 2, {}, Isa::kAuto, 3);
  const int64_t oh = y[0].dim(2), ow = y[0].dim(3);
  for (int64_t i = 0; i < y[0].size(); ++i) {
    const int64_t plane = i / ow / oh, top = i / ow % oh * s.strides[0] - s.pads[0];
    const int64_t left = i % ow * s.strides[1] - s.pads[1];
    int64_t want = -1;
    for (int64_t k = 0; k < s.kernel[0] * s.kernel[1]; ++k) {
      const int64_t r = top + k / s.kernel[1] * s.dilations[0], c = left + k % s.kernel[1] * s.dilations[1];
      if (r < 0 || r >= height || c < 0 || c >= width) continue;
      const int64_t at = (plane * height + r) * width + c;
      const float value = x.data<float>()[at];
      if (want < 0 || std::isnan(value) || value > x.data<float>()[want]) want = at;
    }
    ASSERT_EQ(y[1].data<int64_t>()[i], want) << i;
    const float value = x.data<float>()[want], got = y[0].data<float>()[i];
    ASSERT_TRUE(got == value || (std::isnan(got) && std::isnan(value))) << i;
  }
}

TEST(MaxPool, IndicesOfEveryKindOfWindowArePlacesOfItsLargestElement) {
  for (const Settings& s : kSettings) {
    Tensor x = random_tensor({2, 3, 11, 43});
    expect_indices(x, s);
    for (float& value : std::span(x.data<float>(), size_t(x.size()))) value = std::floor(2 * value);  // many are equal
    expect_indices(x, s);
    for (int64_t i = 7; i < x.size(); i += 31) x.data<float>()[i] = std::numeric_limits<float>::quiet_NaN();
    expect_indices(x, s);
  }
  expect_indices(random_tensor({1, 2, 3, 5}), {.kernel = {2, 40}, .pads = {1, 39, 1, 39}});
}

TEST(MaxPool, AWindowThatIsLargerThanTheDataIsTheOnlyOneOrNone) {
  const Tensor x = Tensor::of(Shape{1, 1, 2}, std::vector<float>{3, 5});
  for (const int64_t ceil_mode : {0, 1}) {
    Attributes attributes{{"kernel_shape", Ints{4}}, {"strides", Ints{3}}, {"ceil_mode", ceil_mode}};
    expect_close(run_op({"MaxPool", 12, attributes}, {x})[0], Tensor::of(Shape{1, 1, 1}, std::vector<float>{5}));
    expect_close(run_op({"AveragePool", 12, attributes}, {x})[0], Tensor::of(Shape{1, 1, 1}, std::vector<float>{4}));
    attributes["strides"] = Ints{2};
    EXPECT_EQ(run_op({"MaxPool", 12, attributes}, {x})[0].shape(), (Shape{1, 1, 0}));
    attributes["strides"] = Ints{1};
    expect_error(ErrorKind::kShape, "the window covers 4", [&] { run_op({"MaxPool", 12, attributes}, {x}); });
  }
}

/// As if the data had been padded before, by zeros or by what no element is less than.
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

TEST(MaxPool, WindowsOfPaddingAloneGiveTheLowest) {
  const Attributes attributes{{"kernel_shape", std::vector<int64_t>{3, 3}},
                              {"pads", std::vector<int64_t>{1, 1, 1, 1}},
                              {"ceil_mode", int64_t{1}},
                              {"strides", std::vector<int64_t>{2, 2}}};
  for (const char* domain : {"", "linnet"}) {
    for (const Shape& image : {Shape{1, 5, 0}, Shape{0, 5, 1}, Shape{5, 0, 4}, Shape{0, 5, 4}}) {
      const Tensor y =
          run_op({"MaxPool", 12, attributes, domain}, {random_tensor({1, image[0], image[1], image[2]})})[0];
      for (const float value : y.values<float>()) EXPECT_EQ(value, -std::numeric_limits<float>::infinity()) << image;
    }
  }
}

TEST(MaxPool, TakesAllItsTypes) {
  const Tensor x = random_uniform({1, 2, 6, 6}, -100, 100);
  for (const DType dtype : {DType::kFloat64, DType::kFloat16, DType::kBFloat16, DType::kInt8}) {
    const Tensor cast = cast_to(x, dtype);
    const Tensor want = pool_reference(cast_to(cast, DType::kFloat32), {}, largest);
    expect_close(run_op({"MaxPool", 22, Settings{}.attributes()}, {cast})[0], cast_to(want, dtype));
  }
}

TEST(MaxPool, NanWins) {
  Tensor x = random_tensor({1, 1, 4, 4});
  x.data<float>()[5] = std::numeric_limits<float>::quiet_NaN();
  const Tensor y = run_op({"MaxPool", 12, {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}}}, {x})[0];
  EXPECT_TRUE(std::isnan(y.data<float>()[0]));
  EXPECT_FALSE(std::isnan(y.data<float>()[1]));
}

TEST(MaxPool, NanWinsInWholeVectorsOfEveryStride) {
  Tensor x = random_tensor({1, 1, 3, 64});
  x.data<float>()[64 + 21] = std::numeric_limits<float>::quiet_NaN();
  for (const int64_t stride : {1, 2, 3}) {
    const Tensor y = run_op({"MaxPool", 12, {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{1, stride}}}}, {x})[0];
    for (int64_t i = 0; i < y.size(); ++i) {
      EXPECT_EQ(std::isnan(y.data<float>()[i]), i * stride <= 21 && 21 <= i * stride + 2) << stride << " " << i;
    }
  }
}

TEST(MaxPool, AutoPadKeepsTheExtentDividedByTheStride) {
  const Tensor x = Tensor::of(Shape{1, 1, 5}, std::vector<float>{1, 2, 3, 4, 5});
  Attributes attributes{{"kernel_shape", Ints{2}}, {"auto_pad", std::string("SAME_UPPER")}};
  expect_close(run_op({"MaxPool", 12, attributes}, {x})[0],
               Tensor::of(Shape{1, 1, 5}, std::vector<float>{2, 3, 4, 5, 5}));
  attributes["auto_pad"] = std::string("SAME_LOWER");
  expect_close(run_op({"MaxPool", 12, attributes}, {x})[0],
               Tensor::of(Shape{1, 1, 5}, std::vector<float>{1, 2, 3, 4, 5}));
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

TEST(MaxPool, SaysWhatDoesNotFit) {
  const Tensor x = random_tensor({1, 1, 4, 4});
  const auto pool = [&](Attributes attributes) { return [=] { run_op({"MaxPool", 12, attributes}, {x}); }; };
  expect_error(ErrorKind::kModel, "kernel_shape", pool({}));
  expect_error(ErrorKind::kShape, "the window covers 6 elements, the padded data has only 4",
               pool({{"kernel_shape", Ints{6, 1}}}));
  expect_error(ErrorKind::kShape, "rank 3", pool({{"kernel_shape", Ints{2}}}));
  expect_error(ErrorKind::kModel, "strides must have 2 values, got 1",
               pool({{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2}}}));
}

TEST(MaxPool, PointsToTheLeastElementWhereThereIsNoOther) {
  const float infinity = std::numeric_limits<float>::infinity();
  const OpCase op{"MaxPool", 12, {{"kernel_shape", std::vector<int64_t>{2}}, {"strides", std::vector<int64_t>{2}}}};
  const Tensor bytes = Tensor::of(Shape{1, 1, 4}, std::vector<uint8_t>{1, 0, 0, 0});
  expect_close(run_op(op, {bytes}, 2)[1], Tensor::of(Shape{1, 1, 2}, std::vector<int64_t>{0, 2}));
  const Tensor floats = Tensor::of(Shape{1, 1, 4}, std::vector<float>{1, 0, -infinity, -infinity});
  expect_close(run_op(op, {floats}, 2)[1], Tensor::of(Shape{1, 1, 2}, std::vector<int64_t>{0, 2}));
}

}  // namespace
}  // namespace linnet::testing
