#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "object_detection/roi_taps.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

Tensor box_list(const std::vector<float>& values) {
  return Tensor::of(Shape{1, int64_t(values.size()) / 4, 4}, values);
}

std::vector<int64_t> suppress(const std::vector<Tensor>& inputs, Attributes attributes = {}, Isa isa = Isa::kAuto) {
  const Tensor y = run_op({"NonMaxSuppression", 11, attributes}, inputs, 1, {}, isa)[0];
  return {y.values<int64_t>().begin(), y.values<int64_t>().end()};
}

// Two boxes that overlap by 9 / 11, with corners in different order, and a separate box.
const std::vector<float> kBoxes{0, 0, 10, 10, 10, 11, 0, 1, 20, 20, 30, 30};
const Tensor kMany = Tensor::of(std::vector<int64_t>{10});
using Indices = std::vector<int64_t>;

TEST(NonMaxSuppression, KeepsTheBestOfOverlappingBoxes) {
  const Tensor scores = Tensor::of(Shape{1, 2, 3}, std::vector<float>{0.5f, 0.9f, 0.1f, 0.3f, 0.2f, 0.6f});
  const Tensor half = Tensor::scalar(0.5f);
  EXPECT_EQ(suppress({box_list(kBoxes), scores, kMany, half}), (Indices{0, 0, 1, 0, 0, 2, 0, 1, 2, 0, 1, 0}));
  EXPECT_EQ(suppress({box_list(kBoxes), scores, kMany, Tensor::scalar(0.9f)}).size(), 18u);
  EXPECT_EQ(suppress({box_list(kBoxes), scores, Tensor::of(std::vector<int64_t>{1}), half}),
            (Indices{0, 0, 1, 0, 1, 2}));
  EXPECT_EQ(suppress({box_list(kBoxes), scores, kMany, half, Tensor::scalar(0.5f)}), (Indices{0, 0, 1, 0, 1, 2}));
  EXPECT_EQ(suppress({box_list(kBoxes), scores}), Indices{});
}

TEST(NonMaxSuppression, TakesCentersAndBreaksTiesByIndex) {
  const Tensor centers = box_list({5, 5, 10, 10, 5, 6, 10, 10, 25, 25, 10, 10});
  const Tensor scores = Tensor::of(Shape{1, 1, 3}, std::vector<float>{0.5f, 0.5f, 0.5f});
  EXPECT_EQ(suppress({centers, scores, kMany, Tensor::scalar(0.5f)}, {{"center_point_box", int64_t{1}}}),
            (Indices{0, 0, 0, 0, 0, 2}));
}

TEST(NonMaxSuppression, TakesScoresThatAreNoNumbersLast) {
  const Tensor apart = box_list({0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7});
  const Tensor scores = Tensor::of(Shape{1, 1, 4}, std::vector<float>{NAN, 0.2f, NAN, 0.9f});
  EXPECT_EQ(suppress({apart, scores, kMany}), (Indices{0, 0, 3, 0, 0, 1, 0, 0, 0, 0, 0, 2}));
}

TEST(NonMaxSuppression, SaysWhatDoesNotFit) {
  expect_error(ErrorKind::kShape, "the number of boxes and scores", [] {
    suppress({box_list(kBoxes), random_tensor({1, 1, 4})});
  });
}

/// Returns a plane whose value at (y, x) is 10 y + x, so that bilinear samples of it are exact.
Tensor ramp(int64_t height, int64_t width) {
  Tensor x(DType::kFloat32, Shape{1, 1, height, width});
  for (int64_t i = 0; i < x.size(); ++i) x.data<float>()[i] = float(i / width * 10 + i % width);
  return x;
}

TEST(RoiAlign, AveragesBinsOfALinearImageToTheirCentres) {
  const Attributes attributes{{"output_height", int64_t{2}}, {"output_width", int64_t{2}}, {"spatial_scale", 0.5f}};
  const Tensor rois = Tensor::of(Shape{1, 4}, std::vector<float>{2, 4, 10, 12}), image = Tensor::of(Indices{0});
  // The region is x 1..5, y 2..6, less half a pixel. The bins' centres are 2 - 0.5 and 4 - 0.5, 3 - 0.5 and 5 - 0.5.
  expect_close(run_op({"RoiAlign", 16, attributes}, {ramp(8, 8), rois, image})[0],
               Tensor::of(Shape{1, 1, 2, 2}, std::vector<float>{26.5f, 28.5f, 46.5f, 48.5f}), 1e-4);
  expect_close(run_op({"RoiAlign", 10, attributes}, {ramp(8, 8), rois, image})[0],
               Tensor::of(Shape{1, 1, 2, 2}, std::vector<float>{32, 34, 52, 54}), 1e-4);
  const Tensor none = Tensor::of(Indices{7});
  expect_close(run_op({"RoiAlign", 16, attributes}, {ramp(8, 8), rois, none})[0],
               Tensor::of(Shape{1, 1, 2, 2}, std::vector<float>{0, 0, 0, 0}));
}

TEST(RoiAlign, SamplesUpToAPixelBeyondTheBordersAreThoseOfTheBorder) {
  // Each pair is a position on an axis of four pixels and the pixel that it counts as; kNone means that the sample is
  // 0.
  constexpr float kNone = -1, kBeyond = 1.0f / 1024;
  const std::vector<std::pair<float, float>> places{
      {1, 1}, {-1, 0}, {-1 - kBeyond, kNone}, {4, 3}, {4 + kBeyond, kNone}};
  const Attributes attributes{{"sampling_ratio", int64_t{1}}};
  for (const auto& [y, row] : places) {
    for (const auto& [x, column] : places) {
      // A region without extent has one sample, the corner less half a pixel.
      const Tensor rois = Tensor::of(Shape{1, 4}, std::vector<float>{x + 0.5f, y + 0.5f, x + 0.5f, y + 0.5f});
      const float expected = row == kNone || column == kNone ? 0 : 10 * row + column;
      expect_close(run_op({"RoiAlign", 16, attributes}, {ramp(4, 4), rois, Tensor::of(Indices{0})})[0],
                   Tensor::of(Shape{1, 1, 1, 1}, std::vector<float>{expected}));
    }
  }
}

// The last pixel's number is not a float. The nearest float is the number of a pixel outside the image.
TEST(RoiAlign, ReadsNothingBehindAxesThatFloatsRound) {
  constexpr int64_t kPixels = (int64_t{1} << 24) + 4;
  const RoiSample<float> last(float(kPixels), kPixels);
  EXPECT_TRUE(last.inside);
  EXPECT_EQ(last.low, kPixels - 1);
  EXPECT_EQ(last.high, kPixels - 1);
  EXPECT_EQ(last.fraction, 0);
  Tensor x(DType::kFloat32, Shape{1, 1, 1, kPixels});
  x.data<float>()[kPixels - 1] = 3;
  constexpr auto kEnd = float(kPixels);
  const Tensor image = Tensor::of(Indices{0});
  for (const Shape& shape : {Shape{1, 1, 1, kPixels}, Shape{1, 1, kPixels, 1}}) {
    const Tensor at = Tensor::of(
        Shape{1, 4}, shape[2] == 1 ? std::vector<float>{kEnd, 0, kEnd, 0} : std::vector<float>{0, kEnd, 0, kEnd});
    const Attributes attributes{{"sampling_ratio", int64_t{1}}, {"mode", std::string("max")}};
    expect_close(run_op({"RoiAlign", 16, attributes}, {x.reshaped(shape), at, image})[0],
                 Tensor::of(Shape{1, 1, 1, 1}, std::vector<float>{3}));
  }
}

TEST(RoiAlign, TakesAsManySamplesAsABinHasPixelsOfTheScaledCorners) {
  // 5 and 30 become 3 and 18. That is three bins of 5 pixels, although 25 times this scale is just above 15.
  const Tensor x = random_tensor({1, 1, 20, 20});
  const Tensor rois = Tensor::of(Shape{1, 4}, std::vector<float>{5, 5, 30, 30}), image = Tensor::of(Indices{0});
  Attributes attributes{{"output_height", int64_t{3}}, {"output_width", int64_t{3}}, {"spatial_scale", 0.6f}};
  const Tensor adaptive = run_op({"RoiAlign", 10, attributes}, {x, rois, image})[0];
  attributes["sampling_ratio"] = int64_t{5};
  EXPECT_TRUE(identical(adaptive, run_op({"RoiAlign", 10, attributes}, {x, rois, image})[0]));
}

TEST(RoiAlign, TheMaximumIsTakenOverWeightedPixels) {
  const Tensor rois = Tensor::of(Shape{1, 4}, std::vector<float>{1, 1, 2, 2}), image = Tensor::of(Indices{0});
  const Attributes attributes{{"mode", std::string("max")}, {"sampling_ratio", int64_t{1}}};
  // One sample at (1, 1) is the pixel 11 with weight 1.
  expect_close(run_op({"RoiAlign", 16, attributes}, {ramp(4, 4), rois, image})[0],
               Tensor::of(Shape{1, 1, 1, 1}, std::vector<float>{11}));
}

/// Computes RoiAlign by its definition, in double: all samples of a bin, one by one.
Tensor roi_align_slowly(const Tensor& x, const Tensor& rois, const std::vector<int64_t>& images, int64_t bins,
                        int64_t ratio, bool maximum) {
  const Shape s = x.shape();
  Tensor y(DType::kFloat32, Shape{rois.dim(0), s[1], bins, bins});
  for (int64_t i = 0; i < y.size(); ++i) {
    const int64_t roi = i / (s[1] * bins * bins), bin[2] = {i / bins % bins, i % bins};
    const float* box = rois.data<float>() + roi * 4;
    const float* plane = x.data<float>() + (images[size_t(roi)] * s[1] + i / (bins * bins) % s[1]) * s[2] * s[3];
    const float extent[2] = {(box[3] - box[1]) / float(bins), (box[2] - box[0]) / float(bins)};
    const int64_t samples[2] = {ratio ? ratio : int64_t(std::ceil(extent[0])),
                                ratio ? ratio : int64_t(std::ceil(extent[1]))};
    double sum = 0, best = -HUGE_VAL;
    for (int64_t k = 0; k < samples[0] * samples[1]; ++k) {
      const int64_t step[2] = {k / samples[1], k % samples[1]};
      double at[2];
      bool inside = true;
      for (int d = 0; d < 2; ++d) {
        at[d] = double(box[d ? 0 : 1]) - 0.5 +
                (double(bin[d]) + (double(step[d]) + 0.5) / double(samples[d])) * double(extent[d]);
        inside = inside && at[d] >= -1 && at[d] <= double(s[2 + d]);
        at[d] = std::clamp(at[d], 0.0, double(s[2 + d] - 1));
      }
      for (int corner = 0; corner < 4; ++corner) {
        double weight = inside ? 1 : 0;
        int64_t pixel[2];
        for (int d = 0; d < 2; ++d) {
          const bool high = corner >> d & 1;
          pixel[d] = std::min(int64_t(at[d]) + high, s[2 + d] - 1);
          weight *= high ? at[d] - std::floor(at[d]) : 1 - (at[d] - std::floor(at[d]));
        }
        const double value = weight * double(plane[pixel[0] * s[3] + pixel[1]]);
        sum += value;
        best = std::max(best, value);
      }
    }
    const int64_t count = samples[0] * samples[1];
    y.data<float>()[i] = float(maximum ? (count > 0 ? best : 0) : sum / double(std::max<int64_t>(1, count)));
  }
  return y;
}

TEST(RoiAlign, AgreesWithItsDefinition) {
  const Tensor x = random_tensor({2, 37, 20, 33}, 1);
  const Tensor rois =
      Tensor::of(Shape{6, 4}, std::vector<float>{1.3f, 2.2f, 9.7f, 12.1f, -6, -7, 50, 40, 30, 18, 33,    20,
                                                 5,    5,    5.5f, 5.25f, 40, 40, 60, 70, 0,  0,  32.5f, 3});
  const std::vector<int64_t> images{0, 1, 1, 0, 1, 0};
  for (const int64_t ratio : {0, 1, 2, 5}) {
    for (const bool maximum : {false, true}) {
      const Attributes attributes{{"output_height", int64_t{3}},
                                  {"output_width", int64_t{3}},
                                  {"sampling_ratio", ratio},
                                  {"mode", std::string(maximum ? "max" : "avg")}};
      const Tensor want = roi_align_slowly(x, rois, images, 3, ratio, maximum);
      for (const Isa isa : supported_isas()) {
        expect_close(run_op({"RoiAlign", 16, attributes}, {x, rois, Tensor::of(images)}, 1, {}, isa)[0], want, 3e-5);
      }
      const Tensor wide = run_op({"RoiAlign", 16, attributes},
                                 {cast_to(x, DType::kFloat64), cast_to(rois, DType::kFloat64), Tensor::of(images)})[0];
      expect_close(cast_to(wide, DType::kFloat32), want, 3e-5);
    }
  }
}

TEST(NonMaxSuppression, AgreesWithSortingAllCandidates) {
  constexpr int64_t kBoxCount = 400;
  Tensor boxes = random_uniform({1, kBoxCount, 4}, 0, 100, 1), scores = random_uniform({1, 2, kBoxCount}, 0, 20, 2);
  for (int64_t i = 0; i < scores.size(); ++i) scores.data<float>()[i] = std::floor(scores.data<float>()[i]);
  const float limit = 0.3f, least = 4;
  Indices want;
  const auto iou = [&](int64_t a, int64_t b) {
    const float *p = boxes.data<float>() + a * 4, *q = boxes.data<float>() + b * 4;
    double shared = 1, areas[2] = {1, 1};
    for (int d = 0; d < 2; ++d) {
      const float low[2] = {std::min(p[d], p[d + 2]), std::min(q[d], q[d + 2])};
      const float high[2] = {std::max(p[d], p[d + 2]), std::max(q[d], q[d + 2])};
      shared *= std::max(0.0, double(std::min(high[0], high[1])) - double(std::max(low[0], low[1])));
      for (int k = 0; k < 2; ++k) areas[k] *= double(high[k]) - double(low[k]);
    }
    return shared / (areas[0] + areas[1] - shared);
  };
  for (int64_t c = 0; c < 2; ++c) {
    const float* score = scores.data<float>() + c * kBoxCount;
    std::vector<int64_t> order, kept;
    for (int64_t i = 0; i < kBoxCount; ++i) {
      if (score[i] > least) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return score[a] > score[b]; });
    for (const int64_t i : order) {
      const bool apart = std::none_of(kept.begin(), kept.end(), [&](int64_t k) { return iou(i, k) > double(limit); });
      if (apart && kept.size() < 50) kept.push_back(i), want.insert(want.end(), {0, c, i});
    }
  }
  const Tensor most = Tensor::of(std::vector<int64_t>{50});
  for (const Isa isa : supported_isas()) {
    EXPECT_EQ(suppress({boxes, scores, most, Tensor::scalar(limit), Tensor::scalar(least)}, {}, isa), want);
  }
}

}  // namespace
}  // namespace linnet::testing
