#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <tuple>
#include <utility>

#include "linnet/complex.h"
#include "support/conv_reference.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

double keys_cubic(double distance) {
  const double d = std::abs(distance), a = -0.75;
  if (d >= 2) return 0;
  return d < 1 ? (a + 2) * d * d * d - (a + 3) * d * d + 1 : a * (d * d * d - 5 * d * d + 8 * d - 4);
}
double triangle(double distance) { return std::max(0.0, 1 - std::abs(distance)); }

using Filter = std::pair<const char*, double (*)(double)>;

struct Coordinates {
  const char* name;
  double (*of)(double out, double in_size, double out_size);
};
const Coordinates kCoordinates[] = {
    {"half_pixel", [](double o, double in, double out) { return (o + 0.5) * in / out - 0.5; }},
    {"asymmetric", [](double o, double in, double out) { return o * in / out; }},
    {"align_corners", [](double o, double in, double out) { return out == 1 ? 0 : o * (in - 1) / (out - 1); }},
    {"pytorch_half_pixel", [](double o, double in, double out) { return out > 1 ? (o + 0.5) * in / out - 0.5 : 0; }},
};

/// Convolves the edge-extended image with the filter, pixel by pixel.
Tensor reference(const Tensor& x, int64_t height, int64_t width, const Coordinates& coordinates,
                 double (*filter)(double)) {
  const int64_t h = x.dim(2), w = x.dim(3);
  Tensor y(DType::kFloat32, Shape{x.dim(0), x.dim(1), height, width});
  for (int64_t i = 0; i < y.size(); ++i) {
    const double cy = coordinates.of(double(i / width % height), double(h), double(height));
    const double cx = coordinates.of(double(i % width), double(w), double(width));
    double sum = 0;
    for (int64_t r = -4; r < h + 4; ++r) {
      for (int64_t c = -4; c < w + 4; ++c) {
        const int64_t row = std::clamp<int64_t>(r, 0, h - 1), column = std::clamp<int64_t>(c, 0, w - 1);
        sum += filter(double(r) - cy) * filter(double(c) - cx) *
               double(x.data<float>()[(i / width / height * h + row) * w + column]);
      }
    }
    y.data<float>()[i] = float(sum);
  }
  return y;
}

Tensor sizes_of(const Tensor& x, int64_t height, int64_t width) {
  return Tensor::of(std::vector<int64_t>{x.dim(0), x.dim(1), height, width});
}

TEST(Resize, InterpolatesLikeTheFilterInBothLayouts) {
  for (const int64_t channels : {3, 17}) {
    const Tensor x = random_tensor({2, channels, 6, 9}, unsigned(channels));
    for (const Coordinates& c : kCoordinates) {
      for (const auto& [mode, filter] : {Filter("linear", triangle), Filter("cubic", keys_cubic)}) {
        for (const auto& [height, width] : {std::pair<int64_t, int64_t>(12, 18), {7, 5}, {6, 1}, {1, 23}}) {
          const Attributes a{{"mode", std::string(mode)}, {"coordinate_transformation_mode", std::string(c.name)}};
          const Tensor want = reference(x, height, width, c, filter), sizes = sizes_of(x, height, width);
          expect_close(run_op({"Resize", 18, a}, {x, {}, {}, sizes}, 1, {3})[0], want, 2e-5);
          const Tensor last = run_op({"Resize", 1, a, "linnet"}, {to_channels_last(x), {}, {}, sizes}, 1, {3})[0];
          expect_close(to_channels_first(last), want, 2e-5);
        }
      }
    }
  }
}

Tensor resized(const Tensor& x, const Attributes& attributes, const std::vector<int64_t>& sizes, int threads = 2) {
  return run_op({"Resize", 18, attributes}, {x, {}, {}, Tensor::of(sizes)}, 1, {3}, Isa::kAuto, threads)[0];
}

Tensor with_axes_swapped(const Tensor& x) {
  return run_op({"Transpose", 13, {{"perm", std::vector<int64_t>{0, 1, 3, 2}}}}, {x})[0];
}

// Long planes have too many lines to list. Wide ones are too large to resize along the lines first.
TEST(Resize, LongAndWidePlanesEqualTheirTransposedOnes) {
  for (const auto& [x, height, width] : {std::tuple(random_tensor({2, 2, 5, 4000}), int64_t{10}, int64_t{9001}),
                                         std::tuple(random_tensor({1, 2, 3, 9000}), int64_t{4}, int64_t{17000}),
                                         std::tuple(random_tensor({1, 2, 70, 150}), int64_t{140}, int64_t{299}),
                                         std::tuple(random_tensor({1, 2, 9, 20000}), int64_t{8}, int64_t{18000})}) {
    for (const char* mode : {"linear", "cubic", "nearest"}) {
      const Attributes a{{"mode", std::string(mode)}};
      const Tensor wide = resized(x, a, {x.dim(0), x.dim(1), height, width});
      const Tensor high = resized(with_axes_swapped(x), a, {x.dim(0), x.dim(1), width, height});
      expect_close(with_axes_swapped(high), wide, 1e-5, 1e-5);
      EXPECT_TRUE(identical(wide, resized(x, a, {x.dim(0), x.dim(1), height, width}, 1)));
      EXPECT_TRUE(identical(high, resized(with_axes_swapped(x), a, {x.dim(0), x.dim(1), width, height}, 7)));
    }
  }
}

TEST(Resize, CoordinatesAreOfPixelCentresFromOpset11OnOfCornersBefore) {
  const Tensor x = random_tensor({1, 2, 6, 9}), scales = Tensor::of<float>({1, 1, 2, 3});
  const Attributes linear{{"mode", std::string("linear")}};
  for (const int64_t opset : {11, 13, 18}) {
    expect_close(run_op({"Resize", opset, linear}, {x, Tensor::of(std::vector<float>{}), scales})[0],
                 reference(x, 12, 27, kCoordinates[0], triangle), 1e-5);
  }
  for (const std::string op : {"Resize", "Upsample"}) {
    expect_close(run_op({op, op == "Resize" ? 10 : 9, linear}, {x, scales})[0],
                 reference(x, 12, 27, kCoordinates[1], triangle), 1e-5);
  }
}

TEST(Resize, AntialiasWidensTheFilterWhereTheImageShrinks) {
  const int64_t in = 23;
  const Tensor x = random_tensor({in});
  for (const int64_t out : {5, 11, 23, 40}) {
    for (const auto& [mode, filter] : {Filter("linear", triangle), Filter("cubic", keys_cubic)}) {
      const double shrink = std::min(1.0, double(out) / double(in));
      Tensor want(DType::kFloat32, {out});
      for (int64_t o = 0; o < out; ++o) {
        const double centre = kCoordinates[0].of(double(o), double(in), double(out));
        double sum = 0, weights = 0;
        for (int64_t i = 0; i < in; ++i) {
          const double weight = filter((double(i) - centre) * shrink);
          sum += weight * double(x.data<float>()[i]);
          weights += weight;
        }
        want.data<float>()[o] = float(sum / weights);
      }
      const Attributes a{{"mode", std::string(mode)}, {"antialias", int64_t{1}}, {"exclude_outside", int64_t{1}}};
      const Tensor sizes = Tensor::of(std::vector<int64_t>{out});
      expect_close(run_op({"Resize", 18, a}, {x, {}, {}, sizes})[0], want, 1e-5);
    }
  }
  expect_error(ErrorKind::kModel, "antialias needs mode linear or cubic", [&] {
    run_op({"Resize", 18, {{"antialias", int64_t{1}}}}, {x, {}, {}, Tensor::of(std::vector<int64_t>{5})});
  });
}

TEST(Resize, TakesSizesAtRunTimeAndTheOtherFloats) {
  const Tensor x = random_tensor({1, 2, 6, 9});
  const Tensor want = reference(x, 8, 5, kCoordinates[0], triangle);
  const Attributes a{{"mode", std::string("linear")}};
  expect_close(run_op({"Resize", 18, a}, {x, {}, {}, sizes_of(x, 8, 5)})[0], want, 1e-5);
  const Tensor doubles = cast_to(x, DType::kFloat64), halves = cast_to(x, DType::kFloat16);
  expect_close(run_op({"Resize", 18, a}, {doubles, {}, {}, sizes_of(x, 8, 5)})[0], cast_to(want, DType::kFloat64),
               1e-5);
  expect_close(run_op({"Resize", 18, a}, {halves, {}, {}, sizes_of(x, 8, 5)})[0], cast_to(want, DType::kFloat16), 4e-3);
}

TEST(Resize, NearestRoundsAsAsked) {
  const Tensor x = Tensor::of(Shape{4}, std::vector<int32_t>{0, 1, 2, 3});
  const auto run = [&](const char* nearest, const char* coordinates, int64_t size) {
    const Attributes a{{"nearest_mode", std::string(nearest)},
                       {"coordinate_transformation_mode", std::string(coordinates)}};
    const Tensor y = run_op({"Resize", 18, a}, {x, {}, {}, Tensor::of(std::vector<int64_t>{size})})[0];
    return std::vector<int32_t>(y.values<int32_t>().begin(), y.values<int32_t>().end());
  };
  using V = std::vector<int32_t>;
  // Asymmetric coordinates for 8 outputs are 0, 0.5, 1, 1.5, ...
  EXPECT_EQ(run("floor", "asymmetric", 8), (V{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(run("ceil", "asymmetric", 8), (V{0, 1, 1, 2, 2, 3, 3, 3}));
  EXPECT_EQ(run("round_prefer_floor", "asymmetric", 8), (V{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(run("round_prefer_ceil", "asymmetric", 8), (V{0, 1, 1, 2, 2, 3, 3, 3}));
  EXPECT_EQ(run("round_prefer_floor", "half_pixel", 2), (V{0, 2}));
  EXPECT_EQ(run("round_prefer_ceil", "half_pixel", 2), (V{1, 3}));
}

/// Returns the nearest of n elements to the fraction p / q, computed with whole numbers.
int64_t nearest(int64_t p, int64_t q, const std::string& rounding, int64_t n) {
  const int64_t below = (p - ((p % q + q) % q)) / q, rest = p - below * q;
  const bool up = rounding == "floor"                ? false
                  : rounding == "ceil"               ? rest > 0
                  : rounding == "round_prefer_floor" ? 2 * rest > q
                                                     : 2 * rest >= q;
  return std::clamp<int64_t>(below + up, 0, n - 1);
}

/// Resizes 0, 1, 2 ... to `out` elements.
Tensor resize_indices(int64_t in, int64_t out, const char* coordinates, const char* rounding) {
  Tensor x(DType::kInt64, Shape{in});
  for (int64_t i = 0; i < in; ++i) x.data<int64_t>()[i] = i;
  const Attributes a{{"nearest_mode", std::string(rounding)},
                     {"coordinate_transformation_mode", std::string(coordinates)}};
  return run_op({"Resize", 19, a}, {x, {}, {}, Tensor::of(std::vector<int64_t>{out})})[0];
}

TEST(Resize, TheExactPositionDecidesWhatIsNearest) {
  for (const char* rounding : {"floor", "ceil", "round_prefer_floor", "round_prefer_ceil"}) {
    for (int64_t in = 1; in <= 14; ++in) {
      for (int64_t out = 2; out <= 23; ++out) {
        const Tensor half = resize_indices(in, out, "half_pixel", rounding);
        const Tensor corners = resize_indices(in, out, "align_corners", rounding);
        const Tensor plain = resize_indices(in, out, "asymmetric", rounding);
        for (int64_t o = 0; o < out; ++o) {
          const std::string where = str(rounding, " ", in, " to ", out, " at ", o);
          EXPECT_EQ(half.data<int64_t>()[o], nearest((2 * o + 1) * in - out, 2 * out, rounding, in)) << where;
          EXPECT_EQ(corners.data<int64_t>()[o], nearest(o * (in - 1), out - 1, rounding, in)) << where;
          EXPECT_EQ(plain.data<int64_t>()[o], nearest(o * in, out, rounding, in)) << where;
        }
      }
    }
  }
}

TEST(Resize, APolicyScalesByTheExactQuotient) {
  // Both axes grow by 11 / 7. Row number 6 of 8 is at 6 * 4 / (55 / 7 - 1) = 3.5.
  Tensor x(DType::kInt64, Shape{5, 7});
  for (int64_t i = 0; i < x.size(); ++i) x.data<int64_t>()[i] = i / 7;
  const Attributes a{{"keep_aspect_ratio_policy", std::string("not_smaller")},
                     {"coordinate_transformation_mode", std::string("align_corners")}};
  const Tensor y = run_op({"Resize", 19, a}, {x, {}, {}, Tensor::of(std::vector<int64_t>{3, 11})})[0];
  ASSERT_EQ(y.shape(), (Shape{8, 11}));
  EXPECT_EQ(y.data<int64_t>()[6 * 11], 3);
}

TEST(Resize, InterpolatesDoublesInDouble) {
  const Tensor x = Tensor::of(Shape{2}, std::vector<double>{0, 1});
  const Attributes a{{"mode", std::string("linear")}, {"coordinate_transformation_mode", std::string("align_corners")}};
  const Tensor y = run_op({"Resize", 19, a}, {x, {}, {}, Tensor::of(std::vector<int64_t>{4})})[0];
  expect_close(y, Tensor::of(std::vector<double>{0, 1.0 / 3, 2.0 / 3, 1}), 1e-15);
}

TEST(Resize, NearestMovesAnyTypeInBothLayouts) {
  const Tensor x = Tensor::of(Shape{1, 1, 1, 2}, std::vector<std::string>{"a", "b"});
  const Tensor scales = Tensor::of(std::vector<float>{1, 1, 2, 2});
  const Tensor want = Tensor::of(Shape{1, 1, 2, 4}, std::vector<std::string>{"a", "a", "b", "b", "a", "a", "b", "b"});
  EXPECT_TRUE(identical(run_op({"Resize", 13}, {x, {}, scales})[0], want));
  const Tensor image = random_tensor({2, 5, 3, 4});
  const Tensor first = run_op({"Resize", 13}, {image, {}, scales})[0];
  const Tensor last = run_op({"Resize", 1, {}, "linnet"}, {to_channels_last(image), {}, scales})[0];
  EXPECT_TRUE(identical(to_channels_first(last), first));
}

TEST(Resize, CropsAndFillsOutside) {
  const Tensor x = Tensor::of(Shape{3}, std::vector<float>{1, 2, 3});
  const Tensor roi = Tensor::of(std::vector<float>{0.5f, 1.5f}), sizes = Tensor::of(std::vector<int64_t>{3});
  const Attributes a{{"mode", std::string("linear")},
                     {"coordinate_transformation_mode", std::string("tf_crop_and_resize")},
                     {"extrapolation_value", 9.0f}};
  expect_close(run_op({"Resize", 13, a}, {x, roi, {}, sizes})[0], Tensor::of(std::vector<float>{2, 3, 9}));
  Attributes nearest = a;
  nearest["mode"] = std::string("nearest");
  const Tensor bools = run_op({"Resize", 13, nearest}, {cast_to(x, DType::kBool), roi, {}, sizes})[0];
  EXPECT_TRUE(bools.data<bool>()[2]);
}

TEST(Resize, IntegersRoundAndSaturate) {
  const Tensor x = Tensor::of(Shape{4}, std::vector<uint8_t>{0, 255, 255, 0});
  const Tensor sizes = Tensor::of(std::vector<int64_t>{8});
  const Tensor y = run_op({"Resize", 18, {{"mode", std::string("cubic")}}}, {x, {}, {}, sizes})[0];
  EXPECT_EQ(y.data<uint8_t>()[0], 0);
  EXPECT_EQ(y.data<uint8_t>()[3], 255);
}

TEST(Resize, PoliciesKeepTheAspectRatio) {
  const Tensor x = random_tensor({1, 1, 4, 8}), sizes = Tensor::of(std::vector<int64_t>{6, 6});
  const auto shape_with = [&](const char* policy) {
    const Attributes a{{"axes", std::vector<int64_t>{2, 3}}, {"keep_aspect_ratio_policy", std::string(policy)}};
    return run_op({"Resize", 18, a}, {x, {}, {}, sizes})[0].shape();
  };
  EXPECT_EQ(shape_with("stretch"), (Shape{1, 1, 6, 6}));
  EXPECT_EQ(shape_with("not_larger"), (Shape{1, 1, 3, 6}));
  EXPECT_EQ(shape_with("not_smaller"), (Shape{1, 1, 6, 12}));
}

TEST(Upsample, RepeatsPixels) {
  const Tensor x = Tensor::of(Shape{1, 1, 1, 2}, std::vector<float>{1, 2});
  const Tensor want = Tensor::of(Shape{1, 1, 2, 4}, std::vector<float>{1, 1, 2, 2, 1, 1, 2, 2});
  expect_close(run_op({"Upsample", 7, {{"scales", std::vector<float>{1, 1, 2, 2}}}}, {x})[0], want);
  expect_close(run_op({"Upsample", 9}, {x, Tensor::of(std::vector<float>{1, 1, 2, 2})})[0], want);
}

TEST(Resize, SaysWhatDoesNotFit) {
  const Tensor x = random_tensor({1, 1, 4, 4}), scales = Tensor::of(std::vector<float>{2, 2});
  expect_error(ErrorKind::kShape, "scales must have 4 values, got 2", [&] { run_op({"Resize", 13}, {x, {}, scales}); });
  expect_error(ErrorKind::kModel, "exactly one of scales and sizes", [&] { run_op({"Resize", 13}, {x}); });
  expect_error(ErrorKind::kModel, "mode 'area' is unknown", [&] {
    run_op({"Resize", 13, {{"mode", std::string("area")}}}, {x, {}, scales});
  });
  expect_error(ErrorKind::kShape, "scales must be positive", [&] {
    run_op({"Resize", 13}, {x, {}, Tensor::of(std::vector<float>{1, 1, 0, 1})});
  });
}

TEST(Resize, InterpolatesComplexNumbersAsTheirParts) {
  using Complex = std::complex<float>;
  const Tensor x = Tensor::of(Shape{1, 1, 1, 2}, std::vector<Complex>{{1, 8}, {5, 0}});
  const OpCase op{"Resize", 19, {{"mode", std::string("linear")}}};
  const Tensor y = run_op(op, {x, Tensor(), Tensor::of<float>({1, 1, 1, 2})}, 1, {2})[0];
  const std::vector<Complex> want{{1, 8}, {2, 6}, {4, 2}, {5, 0}};
  EXPECT_EQ(std::vector<Complex>(y.data<Complex>(), y.data<Complex>() + y.size()), want);
}

TEST(Resize, HalfPixelSymmetricMeetsExactPositions) {
  // Output 3 of 7 is at 5 / 2 * (1 - 7 / 7.5) + 3.5 / 1.5 - 0.5 = 2.
  const Tensor x = Tensor::of(Shape{1, 1, 1, 5}, std::vector<float>{0, 1, 2, 3, 4});
  const OpCase op{"Resize",
                  19,
                  {{"mode", std::string("nearest")},
                   {"nearest_mode", std::string("floor")},
                   {"coordinate_transformation_mode", std::string("half_pixel_symmetric")}}};
  const Tensor y = run_op(op, {x, Tensor(), Tensor::of<float>({1, 1, 1, 1.5f})}, 1, {2})[0];
  EXPECT_EQ(y.data<float>()[3], 2);
}

TEST(Resize, MovesPixelsOfEveryWidth) {
  const auto check = [](const Tensor& x, const std::vector<float>& scales) {
    const OpCase op{"Resize",
                    13,
                    {{"mode", std::string("nearest")},
                     {"coordinate_transformation_mode", std::string("asymmetric")},
                     {"nearest_mode", std::string("floor")}}};
    const Tensor y = run_op(op, {x, Tensor(), Tensor::of(scales)}, 1, {2})[0];
    const Shape s = x.shape(), t = y.shape();
    Tensor want(x.dtype(), t);
    const size_t width = x.bytes() / size_t(x.size());
    for (int64_t i = 0; i < y.size(); ++i) {
      int64_t from = 0, rest = i, stride = 1;
      for (int d = s.rank(); d-- > 0; rest /= t[d]) {
        from += int64_t(float(rest % t[d]) / scales[size_t(d)]) * stride;
        stride *= s[d];
      }
      std::memcpy(static_cast<std::byte*>(want.raw()) + size_t(i) * width,
                  static_cast<const std::byte*>(x.raw()) + size_t(from) * width, width);
    }
    EXPECT_TRUE(identical(y, want)) << x.dtype() << " to " << t;
  };
  const std::vector<float> all[] = {{1, 2, 2, 2}, {1, 1, 2, 2}, {1, 1, 2, 3}, {1, 1, 3, 4},      {1, 1, 4, 2},
                                    {1, 1, 5, 5}, {1, 2, 2, 1}, {1, 1, 1, 2}, {1, 1, 0.5f, 0.5f}};
  for (const DType dtype : {DType::kUint8, DType::kInt16, DType::kFloat32, DType::kFloat64, DType::kComplex128}) {
    // Tests short lines, and long ones of several chunks.
    for (const Shape& shape : {Shape{2, 3, 10, 22}, Shape{2, 3, 24, 150}}) {
      Tensor x(dtype, shape);
      for (size_t i = 0; i < x.bytes(); ++i) static_cast<uint8_t*>(x.raw())[i] = uint8_t(i * 2654435761u >> 13 & 0x3f);
      for (const std::vector<float>& scales : all) check(x, scales);
    }
  }
}

}  // namespace
}  // namespace linnet::testing
