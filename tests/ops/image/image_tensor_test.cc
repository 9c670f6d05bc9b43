#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "linnet/image.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

Image image() {
  Image result{3, 2, {}};
  for (int i = 0; i < 18; ++i) result.rgb.push_back(uint8_t(i * 14));
  return result;
}

Fact wanted(const Dims& dims) { return Fact(DType::kFloat32, dims); }

/// Interpolates bilinearly between the centres of pixels, in double precision.
double reference(const Image& image, int64_t channel, double y, double x) {
  const auto pixel = [&](double row, double column) {
    const auto r = int64_t(std::clamp(row, 0.0, double(image.height - 1)));
    const auto c = int64_t(std::clamp(column, 0.0, double(image.width - 1)));
    return image.rgb[size_t((r * image.width + c) * 3 + channel)] / 255.0;
  };
  const double top = std::floor(y), left = std::floor(x);
  const auto row = [&](double r) { return std::lerp(pixel(r, left), pixel(r, left + 1), x - left); };
  return std::lerp(row(top), row(top + 1), y - top);
}

TEST(ImageTensor, IsThePixelsWhereTheInputIsOpen) {
  const Tensor x = image_tensor(image(), wanted({Dim("N"), 3, Dim("H"), Dim()}));
  ASSERT_EQ(x.shape(), (Shape{1, 3, 3, 2}));
  for (int64_t i = 0; i < 18; ++i) {
    const int64_t channel = i / 6, pixel = i % 6;
    EXPECT_FLOAT_EQ(x.data<float>()[i], float(image().rgb[size_t(pixel * 3 + channel)]) / 255.0f) << i;
  }
}

TEST(ImageTensor, IsScaledBetweenTheCentresOfPixels) {
  for (const auto& [height, width] : {std::pair<int64_t, int64_t>{6, 4}, {2, 5}, {1, 1}, {7, 1}}) {
    const Tensor x = image_tensor(image(), wanted({1, 3, height, width}));
    const float* values = x.data<float>();
    for (int64_t c = 0; c < 3; ++c) {
      for (int64_t i = 0; i < height * width; ++i) {
        const double row = (double(i / width) + 0.5) * 3 / double(height) - 0.5;
        const double column = (double(i % width) + 0.5) * 2 / double(width) - 0.5;
        EXPECT_NEAR(*values++, reference(image(), c, std::clamp(row, 0.0, 2.0), std::clamp(column, 0.0, 1.0)), 1e-6);
      }
    }
  }
}

TEST(ImageTensor, IsTheLumaOfOneChannel) {
  const Tensor x = image_tensor(image(), wanted({1, 1, 3, 2}));
  const Image colours = image();
  const uint8_t* rgb = colours.rgb.data();
  for (int64_t i = 0; i < 6; ++i, rgb += 3) {
    EXPECT_NEAR(x.data<float>()[i], (0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2]) / 255, 1e-6);
  }
}

TEST(ImageTensor, RefusesOtherInputs) {
  expect_error(ErrorKind::kType, "an image becomes float32, the input is uint8[1,3,4,4]", [] {
    image_tensor(image(), Fact(DType::kUint8, Shape{1, 3, 4, 4}));
  });
  expect_error(ErrorKind::kShape, "an image becomes [1,C,H,W]", [] { image_tensor(image(), wanted({3, 4, 4})); });
  expect_error(ErrorKind::kShape, "float32", [] { image_tensor(image(), Fact(DType::kFloat32, std::nullopt)); });
}

TEST(ReadImage, NamesTheFile) {
  expect_error(ErrorKind::kIo, "absent.png", [] { read_image("absent.png"); });
  const std::string folder = std::filesystem::temp_directory_path().string();
  expect_error(ErrorKind::kIo, folder, [&] { read_image(folder); });
}

}  // namespace
}  // namespace linnet::testing
