#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "support/run_op.h"

namespace linnet::testing {
namespace {

const Tensor kRow = Tensor::of(Shape{1, 1, 1, 4}, std::vector<float>{1, 2, 3, 4});

/// Samples the row 1 2 3 4 at grid coordinates along it.
std::vector<float> along_row(const std::vector<float>& coordinates, const char* mode, const char* padding,
                             bool corners) {
  std::vector<float> grid;
  for (const float x : coordinates) grid.insert(grid.end(), {x, 0.0f});
  const Tensor y = run_op(
      {"GridSample",
       20,
       {{"mode", std::string(mode)}, {"padding_mode", std::string(padding)}, {"align_corners", int64_t(corners)}}},
      {kRow, Tensor::of(Shape{1, 1, int64_t(coordinates.size()), 2}, grid)})[0];
  return {y.values<float>().begin(), y.values<float>().end()};
}

using V = std::vector<float>;

TEST(GridSample, RunsFromEdgeToEdgeOrFromCentreToCentre) {
  EXPECT_EQ(along_row({-1, 0, 1}, "linear", "border", true), (V{1, 2.5f, 4}));
  EXPECT_EQ(along_row({-0.75f, -0.25f, 0, 0.75f}, "linear", "border", false), (V{1, 2, 2.5f, 4}));
  EXPECT_EQ(along_row({-1, 1}, "linear", "zeros", false), (V{0.5f, 2}));
}

TEST(GridSample, PadsWithZerosBorderOrReflection) {
  // With align_corners, coordinate 3 is 3 pixels beyond the last one.
  EXPECT_EQ(along_row({3, -3}, "linear", "zeros", true), (V{0, 0}));
  EXPECT_EQ(along_row({3, -3}, "linear", "border", true), (V{4, 1}));
  EXPECT_EQ(along_row({3, 5.0f / 3, -5.0f / 3}, "nearest", "reflection", true), (V{1, 3, 2}));
  EXPECT_EQ(along_row({1.25f, -1.75f}, "nearest", "reflection", false), (V{4, 2}));
}

TEST(GridSample, CubicReproducesPixelsAndWeighsFourNeighbours) {
  EXPECT_EQ(along_row({-1, 1}, "cubic", "zeros", true), (V{1, 4}));
  // Halfway, the weights of Keys' filter with a = -0.75 are -3, 19, 19, -3, divided by 32.
  EXPECT_FLOAT_EQ(along_row({0}, "cubic", "border", true)[0], 2.5f);
}

// Half a pixel beyond the edge, the taps are 0, 1 and two clamped ones. Their values 0, 0, 1, 1 have the weights -3,
// 19, 19, -3, divided by 32, as in PyTorch 2.13's grid_sample.
TEST(GridSample, CubicClampsEachTapToTheBorder) {
  for (const float sign : {1.0f, -1.0f}) {
    // With align_corners, coordinate 4/3 is half a pixel beyond the last one.
    const float near = along_row({sign * 4 / 3}, "cubic", "border", true)[0];
    EXPECT_NEAR(near, sign > 0 ? 4 + 3.0f / 32 : 1 - 3.0f / 32, 1e-5);
    EXPECT_EQ(along_row({sign * 1e30f}, "cubic", "border", true)[0], sign > 0 ? 4 : 1);
  }
}

TEST(GridSample, SamplesVolumesInTheOrderXYZ) {
  const Tensor x = Tensor::of(Shape{1, 1, 2, 2, 2}, std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7});
  const Tensor grid = Tensor::of(Shape{1, 1, 1, 2, 3}, std::vector<double>{1, -1, -1, 0, 0, 1});
  expect_close(run_op({"GridSample", 20, {{"align_corners", int64_t{1}}}}, {x, grid})[0],
               Tensor::of(Shape{1, 1, 1, 1, 2}, std::vector<double>{1, 5.5}));
}

/// Returns plane i of an image [N, C, spatial...] as a separate image, and the part of a grid for image i.
Tensor plane_of(const Tensor& x, int64_t i, int64_t elements) {
  Shape shape = x.shape();
  shape[0] = shape[1] = 1;
  Tensor plane(DType::kFloat32, shape);
  std::copy_n(x.data<float>() + i * elements, elements, plane.data<float>());
  return plane;
}
Tensor image_of(const Tensor& grid, int64_t i) {
  Shape shape = grid.shape();
  shape[0] = 1;
  Tensor one(DType::kFloat32, shape);
  std::copy_n(grid.data<float>() + i * one.size(), one.size(), one.data<float>());
  return one;
}

/// Returns the settings for which float32 grids are evaluated in vectors.
std::vector<OpCase> drawn_on_vectors() {
  std::vector<OpCase> all;
  for (const char* mode : {"linear", "nearest", "cubic"}) {
    for (const char* padding : {"zeros", "border"}) {
      for (const int64_t corners : {0, 1}) {
        const Attributes attributes{
            {"mode", std::string(mode)}, {"padding_mode", std::string(padding)}, {"align_corners", corners}};
        all.push_back({"GridSample", 20, attributes});
      }
    }
  }
  return all;
}

/// Float64 grids are evaluated point by point, float32 grids in vectors.
TEST(GridSample, FloatGridsGiveTheBitsOfTheSameDoubles) {
  for (const Shape& shape : {Shape{2, 3, 5, 7}, Shape{1, 2, 4, 3, 6}}) {
    const int axes = shape.rank() - 2;
    Shape points{shape[0], 11, 13, axes};
    if (axes == 3) points = {shape[0], 2, 11, 7, axes};
    const Tensor x = random_tensor(shape, 1);
    Tensor float_grid = random_uniform(points, -1.6f, 1.6f, 2);
    const std::vector<float> ends{-1, 1, 0, INFINITY, -INFINITY, NAN, 3e38f, -3e38f, 1 + 0x1p-20f, -1 - 0x1p-20f};
    std::copy(ends.begin(), ends.end(), float_grid.data<float>());
    const Tensor double_grid = cast_to(float_grid, DType::kFloat64);
    for (const OpCase& op : drawn_on_vectors()) {
      for (const Isa isa : supported_isas()) {
        EXPECT_TRUE(identical(run_op(op, {x, float_grid}, 1, {}, isa)[0], run_op(op, {x, double_grid}, 1, {}, isa)[0]))
            << op.attributes.size();
      }
    }
  }
}

/// Many channels are sampled together from transposed images, few channels one by one, with the same bits for any
/// number of threads. Pixels outside the image have no effect, nor do infinite pixels with weight 0.
TEST(GridSample, ChannelsTogetherGiveTheBitsOfEachAlone) {
  for (const auto& [shape, points] :
       {std::pair{Shape{2, 19, 9, 11}, Shape{2, 13, 17, 2}}, std::pair{Shape{1, 33, 3, 4, 5}, Shape{1, 2, 7, 19, 3}}}) {
    Tensor x = random_tensor(shape, 1);
    for (int64_t i = 0; i < x.size(); i += 31) x.data<float>()[i] = INFINITY;
    const Tensor grid = random_uniform(points, -1.3f, 1.3f, 2);
    const int64_t image = shape.elements(2, shape.rank()), count = points.elements(1, points.rank() - 1);
    for (const char* mode : {"linear", "cubic"}) {
      for (const char* padding : {"zeros", "border", "reflection"}) {
        if (shape.rank() == 5 && *mode == 'c') continue;
        const OpCase op{"GridSample", 20, {{"mode", std::string(mode)}, {"padding_mode", std::string(padding)}}};
        for (const Isa isa : supported_isas()) {
          const Tensor y = run_op(op, {x, grid}, 1, {}, isa)[0];
          EXPECT_TRUE(identical(y, run_op(op, {x, grid}, 1, {}, isa, 8)[0]));
          for (int64_t plane = 0; plane < shape[0] * shape[1]; ++plane) {
            const Tensor alone =
                run_op(op, {plane_of(x, plane, image), image_of(grid, plane / shape[1])}, 1, {}, isa)[0];
            EXPECT_EQ(0,
                      std::memcmp(alone.data<float>(), y.data<float>() + plane * count, size_t(count) * sizeof(float)))
                << mode << padding << plane;
          }
        }
      }
    }
  }
}

TEST(GridSample, SaysWhatDoesNotFit) {
  expect_error(ErrorKind::kShape, "the last dim of grid", [] {
    run_op({"GridSample", 20}, {kRow, random_tensor({1, 1, 1, 3})});
  });
}

OpCase sampling(const char* mode) {
  return {"GridSample", 20, {{"mode", std::string(mode)}, {"align_corners", int64_t{1}}}};
}

/// The positions are 1, 0.5 (of three) and one outside.
const Tensor kThree = Tensor::of(Shape{1, 1, 3, 2}, V{0, 0, -0.5f, 0, 5, 0});

TEST(GridSample, MovesElementsOfAnyDtype) {
  const Tensor text = Tensor::of(Shape{1, 1, 1, 3}, std::vector<std::string>{"a", "b", "c"});
  const Tensor y = run_op(sampling("nearest"), {text, kThree})[0];
  EXPECT_EQ(y.data<std::string>()[0], "b");
  EXPECT_EQ(y.data<std::string>()[2], "");
  const Tensor big = Tensor::of(Shape{1, 1, 1, 3}, std::vector<int64_t>{1, (int64_t{1} << 60) + 1, 3});
  EXPECT_EQ(run_op(sampling("nearest"), {big, kThree})[0].data<int64_t>()[0], (int64_t{1} << 60) + 1);
}

TEST(GridSample, CastsInterpolatedIntegersAtTheEnd) {
  const Tensor x = Tensor::of(Shape{1, 1, 1, 3}, std::vector<int8_t>{-1, -6, 9});
  const Tensor grid = Tensor::of(Shape{1, 1, 4, 2}, V{0, 0, -0.5f, 0, 0.75f, 0, 5, 0});
  // The exact values are -6, -3.5, 5.25 and a zero from outside.
  expect_close(run_op(sampling("linear"), {x, grid})[0],
               Tensor::of(Shape{1, 1, 1, 4}, std::vector<int8_t>{-6, -3, 5, 0}));
  const Tensor text = Tensor::of(Shape{1, 1, 1, 1}, std::vector<std::string>{"a"});
  expect_error(ErrorKind::kUnsupported, "string", [&] { run_op(sampling("linear"), {text, kThree}); });
}

TEST(GridSample, TakesAGridOfAnotherFloatType) {
  const Tensor x = Tensor::of(Shape{1, 1, 1, 3}, std::vector<double>{1, 6, 9});
  expect_close(run_op(sampling("linear"), {x, cast_to(kThree, DType::kFloat16)})[0],
               Tensor::of(Shape{1, 1, 1, 3}, std::vector<double>{6, 3.5, 0}));
}

}  // namespace
}  // namespace linnet::testing
