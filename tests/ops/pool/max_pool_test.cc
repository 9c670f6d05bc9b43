#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <span>

#include "ops/pool/pool_reference.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

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

/// Checks each window's largest element. NaN is larger than any number, and the last NaN is used.
void expect_indices(const Tensor& x, const PoolSettings& s) {
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
  for (const PoolSettings& s : kPoolSettings) {
    Tensor x = random_tensor({2, 3, 11, 43});
    expect_indices(x, s);
    // Many values are equal.
    for (float& value : std::span(x.data<float>(), size_t(x.size()))) value = std::floor(2 * value);
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
    expect_close(run_op({"MaxPool", 22, PoolSettings{}.attributes()}, {cast})[0], cast_to(want, dtype));
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
