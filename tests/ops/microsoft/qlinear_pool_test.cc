#include <gtest/gtest.h>

#include "support/run_expanded.h"

namespace linnet::testing::qlinear_pool {
namespace {

constexpr int64_t kHeight = 5, kWidth = 7, kChannels = 3;
const Tensor kScale = Tensor::scalar(0.25f), kZero = Tensor::scalar(uint8_t{9}), kYScale = Tensor::scalar(0.1731f);

uint8_t byte_at(int64_t n, int64_t c, int64_t h, int64_t w) { return uint8_t(n * 91 + c * 57 + h * 39 + w * 101); }

/// Returns images, [2, C, H, W] or [2, H, W, C], with an element for each window of size x size pixels, or for all
/// pixels if size is 0.
Tensor images(bool last, int64_t size, double (*value)(int64_t, int64_t, int64_t, int64_t, int64_t)) {
  const int64_t h = size == 0 ? 1 : kHeight - size + 1, w = size == 0 ? 1 : kWidth - size + 1;
  Tensor y(DType::kUint8, last ? Shape{2, h, w, kChannels} : Shape{2, kChannels, h, w});
  for (int64_t n = 0; n < 2; ++n) {
    for (int64_t c = 0; c < kChannels; ++c) {
      for (int64_t i = 0; i < h * w; ++i) {
        const int64_t at = last ? (n * h * w + i) * kChannels + c : (n * kChannels + c) * h * w + i;
        y.data<uint8_t>()[at] = uint8_t(value(n, c, i / w, i % w, size));
      }
    }
  }
  return y;
}

double pixel(int64_t n, int64_t c, int64_t h, int64_t w, int64_t) { return byte_at(n, c, h, w); }

double mean(int64_t n, int64_t c, int64_t h, int64_t w, int64_t size) {
  const int64_t height = size == 0 ? kHeight : size, width = size == 0 ? kWidth : size;
  double sum = 0;
  for (int64_t i = 0; i < height * width; ++i) sum += (byte_at(n, c, h + i / width, w + i % width) - 9) * 0.25;
  return rounded_to<uint8_t>(sum / double(height * width), 0.1731f, 9);
}

Tensor run(const std::string& op, Attributes attributes, bool last) {
  if (last) attributes["channels_last"] = int64_t{1};
  return run_expanded(op, attributes, {images(last, 1, pixel), kScale, kZero, kYScale, kZero})[0];
}

TEST(QLinearAveragePool, IsTheMeanOfEachWindow) {
  for (const bool last : {false, true}) {
    expect_close(run("QLinearAveragePool", {{"kernel_shape", std::vector<int64_t>{3, 3}}}, last),
                 images(last, 3, mean));
  }
}

TEST(QLinearAveragePool, PassesItsAttributesOn) {
  const Tensor x = Tensor::of<uint8_t>({1, 1, 3}, {20, 30, 40}), one = Tensor::scalar(1.0f);
  const Attributes attributes{{"kernel_shape", std::vector<int64_t>{2}},
                              {"pads", std::vector<int64_t>{1, 1}},
                              {"strides", std::vector<int64_t>{2}},
                              {"count_include_pad", int64_t{1}}};
  expect_close(run_expanded("QLinearAveragePool", attributes, {x, one, Tensor(), one})[0],
               Tensor::of<uint8_t>({1, 1, 2}, {10, 35}));
}

TEST(QLinearGlobalAveragePool, IsTheMeanOfEachChannel) {
  for (const bool last : {false, true}) {
    expect_close(run("QLinearGlobalAveragePool", {}, last), images(last, 0, mean));
  }
}

TEST(QLinearPool, RefusesOtherRanks) {
  const Tensor x = scattered<uint8_t>({2, 3});
  expect_error(ErrorKind::kShape, "X", [&] {
    run_op({"QLinearGlobalAveragePool", 1, {}, "com.microsoft"}, {x, kScale, kZero, kScale, kZero});
  });
  expect_error(ErrorKind::kShape, "X", [&] {
    run_op({"QLinearAveragePool", 1, {{"kernel_shape", std::vector<int64_t>{1}}}, "com.microsoft"},
           {x, kScale, kZero, kScale, kZero});
  });
  expect_error(ErrorKind::kModel, "kernel_shape", [&] {
    run_op({"QLinearAveragePool", 1, {}, "com.microsoft"}, {x, kScale, kZero, kScale, kZero});
  });
}

}  // namespace
}  // namespace linnet::testing::qlinear_pool
