#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

constexpr double kNothing = -std::numeric_limits<double>::infinity();

/// Whether a pixel and a bin overlap. Pixel `p` of a region of `length` pixels is [p, p + 1); bin `b` of `bins` is [b,
/// b + 1) * length / bins.
bool overlap(int64_t pixel, int64_t bin, int64_t length, int64_t bins) {
  return pixel * bins < (bin + 1) * length && (pixel + 1) * bins > bin * length;
}

Tensor pool_in_double(const Tensor& x, const Tensor& rois, int64_t height, int64_t width, double scale) {
  const Shape s = x.shape();
  Tensor y(DType::kFloat32, Shape{rois.shape()[0], s[1], height, width});
  for (int64_t i = 0; i < y.size(); ++i) {
    const int64_t row = i / width % height, column = i % width, channel = i / (width * height) % s[1];
    const float* roi = rois.data<float>() + i / (width * height * s[1]) * 5;
    const auto corner = [&](int k) { return std::llround(double(roi[k]) * scale); };
    const int64_t rows = std::max(corner(4) - corner(2), 0ll) + 1, columns = std::max(corner(3) - corner(1), 0ll) + 1;
    double best = kNothing;
    for (int64_t p = 0; p < s[2] * s[3]; ++p) {
      if (!overlap(p / s[3] - corner(2), row, rows, height) || !overlap(p % s[3] - corner(1), column, columns, width)) {
        continue;
      }
      best = std::max(best, double(x.data<float>()[(int64_t(roi[0]) * s[1] + channel) * s[2] * s[3] + p]));
    }
    y.data<float>()[i] = best == kNothing ? 0 : float(best);
  }
  return y;
}

OpCase max_roi_pool(int64_t height, int64_t width, float scale = 1) {
  return {"MaxRoiPool", 22, {{"pooled_shape", std::vector<int64_t>{height, width}}, {"spatial_scale", scale}}};
}

/// Returns regions (batch_id, x1, y1, x2, y2) of 2 images with corners in [-low, high]; some are inverted.
Tensor random_regions(int64_t count, float low, float high, unsigned seed) {
  Tensor rois = random_uniform(Shape{count, 5}, low, high, seed);
  for (int64_t i = 0; i < count; ++i) rois.data<float>()[i * 5] = float(i % 2);
  return rois;
}

TEST(MaxRoiPool, AgreesWithADoubleReferenceInsideAndOutsideOfTheImage) {
  const Tensor x = random_tensor({2, 3, 11, 13}), rois = random_regions(40, -12, 40, 1);
  for (const int64_t height : {1, 2, 7}) {
    const Tensor y = run_op(max_roi_pool(height, 3, 0.5f), {x, rois})[0];
    expect_close(y, pool_in_double(x, rois, height, 3, 0.5));
  }
}

TEST(MaxRoiPool, RoundsHalvesAwayFromZeroAndKeepsNegativeMaxima) {
  Tensor x(DType::kFloat32, Shape{1, 1, 4, 4});
  for (int64_t i = 0; i < 16; ++i) x.data<float>()[i] = -float(i + 1);
  const Tensor rois = Tensor::of(Shape{2, 5}, std::vector<float>{0, 0.5f, 1.5f, 2.5f, 3.5f, 0, 2.5f, 2.5f, 0, 0});
  // The first region is from (1, 2) to (3, 4), where row 4 is outside. The second is only the pixel (3, 3).
  expect_close(run_op(max_roi_pool(2, 2), {x, rois})[0],
               Tensor::of(Shape{2, 1, 2, 2}, std::vector<float>{-10, -11, -14, -15, -16, -16, -16, -16}));
}

TEST(MaxRoiPool, GivesZeroForRegionsOutsideOfTheImageHoweverFar) {
  const float inf = std::numeric_limits<float>::infinity();
  const Tensor rois =
      Tensor::of(Shape{3, 5}, std::vector<float>{0, -9, -9, -8, -8, 0, 1e30f, 0, inf, 1, 0, 9, 9, 9, 9});
  expect_close(run_op(max_roi_pool(1, 1), {random_tensor({1, 1, 4, 4}), rois})[0],
               Tensor::of(Shape{3, 1, 1, 1}, std::vector<float>{0, 0, 0}));
}

TEST(MaxRoiPool, HandsOnNaN) {
  Tensor x = random_tensor({1, 1, 2, 2});
  x.data<float>()[1] = std::numeric_limits<float>::quiet_NaN();
  const Tensor rois = Tensor::of(Shape{1, 5}, std::vector<float>{0, 0, 0, 1, 1});
  EXPECT_TRUE(std::isnan(run_op(max_roi_pool(1, 1), {x, rois})[0].data<float>()[0]));
}

TEST(MaxRoiPool, TakesEveryFloatTypeAndNoRegions) {
  const Tensor x = random_tensor({2, 2, 5, 5}), rois = random_regions(4, 0, 5, 2);
  for (const DType dtype : {DType::kFloat64, DType::kFloat16, DType::kBFloat16}) {
    const Tensor image = cast_to(x, dtype), regions = cast_to(rois, dtype);
    const Tensor y = run_op(max_roi_pool(2, 2), {image, regions})[0];
    EXPECT_EQ(y.dtype(), dtype);
    expect_close(cast_to(y, DType::kFloat32),
                 pool_in_double(cast_to(image, DType::kFloat32), cast_to(regions, DType::kFloat32), 2, 2, 1));
  }
  EXPECT_EQ(run_op(max_roi_pool(2, 3), {x, Tensor(DType::kFloat32, Shape{0, 5})})[0].shape(), (Shape{0, 2, 2, 3}));
}

TEST(MaxRoiPool, SaysWhatDoesNotFit) {
  const Tensor x = random_tensor({1, 1, 2, 2});
  for (const float image : {-1.0f, 1.0f, std::numeric_limits<float>::quiet_NaN()}) {
    const Tensor rois = Tensor::of(Shape{1, 5}, std::vector<float>{image, 0, 0, 1, 1});
    expect_error(ErrorKind::kModel, "batch_id of region 0", [&] { run_op(max_roi_pool(1, 1), {x, rois}); });
  }
  expect_error(ErrorKind::kModel, "pooled_shape", [&] { run_op(max_roi_pool(0, 1), {x, random_tensor({1, 5})}); });
  expect_error(ErrorKind::kShape, "rois", [&] { run_op(max_roi_pool(1, 1), {x, random_tensor({1, 4})}); });
}

}  // namespace
}  // namespace linnet::testing
