#include <gtest/gtest.h>

#include <cmath>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

Tensor box_list(const std::vector<float>& values) {
  return Tensor::of(Shape{1, int64_t(values.size()) / 4, 4}, values);
}

std::vector<int64_t> suppress(const std::vector<Tensor>& inputs, Attributes attributes = {}) {
  const Tensor y = run_op({"NonMaxSuppression", 11, attributes}, inputs)[0];
  return {y.values<int64_t>().begin(), y.values<int64_t>().end()};
}

// Two boxes that overlap by 9 / 11, corners in different order, and one apart.
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

/// A plane whose value at (y, x) is 10 y + x: bilinear samples of it are exact.
Tensor ramp(int64_t height, int64_t width) {
  Tensor x(DType::kFloat32, Shape{1, 1, height, width});
  for (int64_t i = 0; i < x.size(); ++i) x.data<float>()[i] = float(i / width * 10 + i % width);
  return x;
}

TEST(RoiAlign, AveragesBinsOfALinearImageToTheirCentres) {
  const Attributes attributes{{"output_height", int64_t{2}}, {"output_width", int64_t{2}}, {"spatial_scale", 0.5f}};
  const Tensor rois = Tensor::of(Shape{1, 4}, std::vector<float>{2, 4, 10, 12}), image = Tensor::of(Indices{0});
  // The region is x 1..5, y 2..6, less half a pixel; the bins' centres are 2 - 0.5 and 4 - 0.5, 3 - 0.5 and 5 - 0.5.
  expect_close(run_op({"RoiAlign", 16, attributes}, {ramp(8, 8), rois, image})[0],
               Tensor::of(Shape{1, 1, 2, 2}, std::vector<float>{26.5f, 28.5f, 46.5f, 48.5f}), 1e-4);
  expect_close(run_op({"RoiAlign", 10, attributes}, {ramp(8, 8), rois, image})[0],
               Tensor::of(Shape{1, 1, 2, 2}, std::vector<float>{32, 34, 52, 54}), 1e-4);
  const Tensor none = Tensor::of(Indices{7});
  expect_close(run_op({"RoiAlign", 16, attributes}, {ramp(8, 8), rois, none})[0],
               Tensor::of(Shape{1, 1, 2, 2}, std::vector<float>{0, 0, 0, 0}));
}

TEST(RoiAlign, SamplesUpToAPixelBeyondTheBordersAreThoseOfTheBorder) {
  // A place on an axis of four pixels, and the pixel that it counts as; kNone: the sample is 0.
  constexpr float kNone = -1, kBeyond = 1.0f / 1024;
  const std::vector<std::pair<float, float>> places{
      {1, 1}, {-1, 0}, {-1 - kBeyond, kNone}, {4, 3}, {4 + kBeyond, kNone}};
  const Attributes attributes{{"sampling_ratio", int64_t{1}}};
  for (const auto& [y, row] : places) {
    for (const auto& [x, column] : places) {
      // A region without extent: its one sample is the corner less half a pixel.
      const Tensor rois = Tensor::of(Shape{1, 4}, std::vector<float>{x + 0.5f, y + 0.5f, x + 0.5f, y + 0.5f});
      const float expected = row == kNone || column == kNone ? 0 : 10 * row + column;
      expect_close(run_op({"RoiAlign", 16, attributes}, {ramp(4, 4), rois, Tensor::of(Indices{0})})[0],
                   Tensor::of(Shape{1, 1, 1, 1}, std::vector<float>{expected}));
    }
  }
}

TEST(RoiAlign, TakesAsManySamplesAsABinHasPixelsOfTheScaledCorners) {
  // 5 and 30 become 3 and 18: three bins of 5 pixels, although 25 times this scale lies just above 15.
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
  // One sample at (1, 1): the pixel 11 with weight 1.
  expect_close(run_op({"RoiAlign", 16, attributes}, {ramp(4, 4), rois, image})[0],
               Tensor::of(Shape{1, 1, 1, 1}, std::vector<float>{11}));
}

}  // namespace
}  // namespace linnet::testing
