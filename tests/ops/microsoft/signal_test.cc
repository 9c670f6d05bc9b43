#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/run_expanded.h"

namespace linnet::testing::signal {
namespace {

TEST(ComplexMul, MultipliesPairsWithBroadcasting) {
  const Tensor a = Tensor::of(Shape{2, 1, 2}, std::vector<float>{1, 2, 3, -1});
  const Tensor b = Tensor::of(Shape{2, 2}, std::vector<float>{0, 1, 2, 5});
  // The products are (1 + 2i) i, (1 + 2i)(2 + 5i), (3 - i) i, (3 - i)(2 + 5i).
  expect_close(run_expanded("ComplexMul", {}, {a, b})[0],
               Tensor::of(Shape{2, 2, 2}, std::vector<float>{-2, 1, -8, 9, 1, 3, 11, 13}));
  // The products are (1 + 2i)(-i), (1 + 2i)(2 - 5i), (3 - i)(-i), (3 - i)(2 - 5i).
  expect_close(run_expanded("ComplexMulConj", {}, {a, b})[0],
               Tensor::of(Shape{2, 2, 2}, std::vector<float>{2, -1, 12, -1, -1, -3, 1, -17}));
  expect_error(ErrorKind::kShape, "the last dim of B", [&] {
    run_op({"ComplexMul", 1, {}, "com.microsoft"}, {a, Tensor(DType::kFloat32, {3})});
  });
}

/// Returns the sum over (j, k) of x[j, k] e^(-2 pi i (u j / rows + v k / columns)), for v up to columns / 2.
Tensor transformed(const Tensor& x) {
  const int64_t rows = x.shape()[0], columns = x.shape()[1], kept = columns / 2 + 1;
  Tensor y(DType::kFloat32, {rows, kept, 2});
  for (int64_t u = 0; u < rows; ++u) {
    for (int64_t v = 0; v < kept; ++v) {
      double real = 0, imaginary = 0;
      for (int64_t i = 0; i < rows * columns; ++i) {
        const double turns = double(u * (i / columns)) / double(rows) + double(v * (i % columns)) / double(columns);
        real += x.data<float>()[i] * std::cos(2 * std::numbers::pi * turns);
        imaginary -= x.data<float>()[i] * std::sin(2 * std::numbers::pi * turns);
      }
      float* pair = y.data<float>() + (u * kept + v) * 2;
      pair[0] = float(real);
      pair[1] = float(imaginary);
    }
  }
  return y;
}

TEST(Rfft, TransformsTheLastAxes) {
  for (const Shape& shape : {Shape{1, 1}, Shape{3, 4}, Shape{4, 5}}) {
    const Tensor x = random_tensor(shape);
    expect_close(run_expanded("Rfft", {{"signal_ndim", int64_t{2}}}, {x})[0], transformed(x), 1e-5);
  }
}

TEST(Rfft, IsUndoneByIrfft) {
  const Tensor x = random_tensor({2, 3, 3, 6});
  for (const int64_t axes : {1, 2, 3}) {
    const Tensor y = run_expanded("Rfft", {{"signal_ndim", axes}}, {x})[0];
    EXPECT_EQ(y.shape(), (Shape{2, 3, 3, 4, 2}));
    expect_close(run_expanded("Irfft", {{"signal_ndim", axes}}, {y})[0], x, 1e-6);
  }
}

TEST(Rfft, RefusesWhatOnnxRuntimeRefuses) {
  const auto run = [](const Attributes& attributes) {
    run_op({"Rfft", 1, attributes, "com.microsoft"}, {random_tensor({2, 4})});
  };
  expect_error(ErrorKind::kUnsupported, "normalized", [&] { run({{"normalized", int64_t{1}}}); });
  expect_error(ErrorKind::kUnsupported, "onesided", [&] { run({{"onesided", int64_t{0}}}); });
  expect_error(ErrorKind::kModel, "signal_ndim", [&] { run({{"signal_ndim", int64_t{4}}}); });
  expect_error(ErrorKind::kShape, "X", [&] { run({{"signal_ndim", int64_t{3}}}); });
  expect_error(ErrorKind::kModel, "input", [] { run_op({"Rfft", 1, {}, "com.microsoft"}, {}); });
}

TEST(Inverse, TimesTheMatrixIsTheIdentity) {
  const OpCase op{"Inverse", 1, {}, "com.microsoft"};
  for (const int64_t n : {1, 17, 63, 64, 67, 80, 130}) {
    SCOPED_TRACE(n);
    const Tensor x = cast_to(random_tensor({2, 3, n, n}, 5), DType::kFloat64);
    Tensor identity(DType::kFloat64, x.shape());
    for (int64_t i = 0; i < x.size(); ++i) identity.data<double>()[i] = i / n % n == i % n;
    for (const Isa isa : supported_isas()) {
      const Tensor y = run_op(op, {x}, 1, {}, isa, 1)[0];
      expect_close(run_op({"MatMul", 13}, {x, y})[0], identity, 1e-9);
      expect_close(run_op({"MatMul", 13}, {y, x})[0], identity, 1e-9);
      EXPECT_TRUE(identical(y, run_op(op, {x}, 1, {}, isa, 3)[0]));
    }
  }
  // The first pivot is 0.
  expect_close(run_op(op, {Tensor::of(Shape{2, 2}, std::vector<double>{0, 2, 4, 0})})[0],
               Tensor::of(Shape{2, 2}, std::vector<double>{0, 0.25, 0.5, 0}));
  EXPECT_EQ(run_op(op, {Tensor(DType::kFloat32, {3, 0, 0})})[0].shape(), (Shape{3, 0, 0}));
  EXPECT_FALSE(std::isfinite(run_op(op, {Tensor::of(Shape{1, 1}, std::vector<float>{0})})[0].data<float>()[0]));
  expect_error(ErrorKind::kShape, "rows and columns", [&] { run_op(op, {random_tensor({2, 3})}); });
}

TEST(GridSampleForward, IsThatOfOnnxByOtherNames) {
  const Tensor x = random_tensor({1, 2, 4, 5}), grid = random_uniform({1, 3, 2, 2}, -1.2f, 1.2f, 1);
  for (const auto& [name, onnx] : {std::pair{"bilinear", "linear"}, {"nearest", "nearest"}, {"bicubic", "cubic"}}) {
    expect_close(run_expanded("GridSample", {{"mode", std::string(name)}}, {x, grid})[0],
                 run_op({"GridSample", 20, {{"mode", std::string(onnx)}}}, {x, grid})[0]);
  }
  expect_error(ErrorKind::kModel, "mode must be", [&] {
    run_op({"GridSample", 1, {{"mode", std::string("linear")}}, "com.microsoft"}, {x, grid});
  });
}

const Tensor kImage = Tensor::of(Shape{1, 1, 2, 3}, std::vector<float>{0, 1, 2, 10, 11, 12});

Tensor cropped(const std::vector<float>& region, const Attributes& attributes, int32_t image = 0) {
  const Tensor size = Tensor::of<int32_t>({3, 2});
  return run_op({"CropAndResize", 1, attributes, "com.microsoft"},
                {kImage, Tensor::of(Shape{1, 4}, region), Tensor::of<int32_t>({image}), size}, 1, {3})[0];
}

TEST(CropAndResize, ReadsBetweenPixels) {
  expect_close(cropped({0, 0, 1, 1}, {}), Tensor::of(Shape{1, 1, 3, 2}, std::vector<float>{0, 2, 5, 7, 10, 12}));
  expect_close(cropped({0, 0.25f, 1, 0.25f}, {}),
               Tensor::of(Shape{1, 1, 3, 2}, std::vector<float>{0.5f, 0.5f, 5.5f, 5.5f, 10.5f, 10.5f}));
  expect_close(cropped({0, 0, 1, 1}, {{"mode", std::string("nearest")}}),
               Tensor::of(Shape{1, 1, 3, 2}, std::vector<float>{0, 2, 10, 12, 10, 12}));
}

TEST(CropAndResize, FillsWhatLiesOutside) {
  expect_close(cropped({-1, 0, 1, 1}, {{"extrapolation_value", 7.f}}),
               Tensor::of(Shape{1, 1, 3, 2}, std::vector<float>{7, 7, 0, 2, 10, 12}));
  expect_close(cropped({NAN, 0, NAN, 1}, {}), Tensor::of(Shape{1, 1, 3, 2}, std::vector<float>(6)));
}

// The last pixel's number is not a float. The nearest float is the number of a pixel outside the image.
TEST(CropAndResize, ReadsNothingBehindAxesThatFloatsRound) {
  constexpr int64_t kPixels = (int64_t{1} << 24) + 4;
  Tensor x(DType::kFloat32, Shape{1, 2, 1, kPixels});
  x.data<float>()[kPixels - 1] = 3;
  x.data<float>()[kPixels] = 7;
  x.data<float>()[2 * kPixels - 1] = 5;
  const Tensor end = Tensor::of(Shape{1, 4}, std::vector<float>{1, 1, 1, 1}), image = Tensor::of<int32_t>({0});
  const Tensor want = Tensor::of(Shape{1, 2, 1, 1}, std::vector<float>{3, 5});
  for (const char* mode : {"nearest", "bilinear"}) {
    for (const Shape& shape : {Shape{1, 2, 1, kPixels}, Shape{1, 2, kPixels, 1}}) {
      const OpCase crop{"CropAndResize", 1, {{"mode", std::string(mode)}}, "com.microsoft"};
      expect_close(run_op(crop, {x.reshaped(shape), end, image, Tensor::of<int32_t>({1, 1})}, 1, {3})[0], want);
    }
  }
}

TEST(CropAndResize, RefusesImagesThatAreNotThere) {
  for (const int32_t image : {-1, 1}) {
    expect_error(ErrorKind::kShape, "batch_indices must be in [0,1)", [&] { cropped({0, 0, 1, 1}, {}, image); });
  }
}

}  // namespace
}  // namespace linnet::testing::signal
