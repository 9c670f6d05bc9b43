#include "kernels/deform.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "kernels/kernels_for.h"
#include "support/guarded_floats.h"
#include "support/run_op.h"
#include "support/special_floats.h"

namespace linnet::testing {
namespace {

const std::vector<float> kZeros(40, 0.0f);

class DeformKernel : public ::testing::TestWithParam<Isa> {
 protected:
  float sample_ones(float y, float x, float weight = 1, int64_t height = 3, int64_t width = 4) {
    const std::vector<float> ones(size_t(height * width), 1.0f);
    return sample({ones.data(), height, width, 1, kZeros.data()}, {{y, x}}, {weight}, 1)[0];
  }

  /// Samples a tap at each of the points. Memory after the image must not be accessed.
  std::vector<float> sample(const DeformImage& image, const std::vector<std::array<float, 2>>& points,
                            const std::vector<float>& mask, int64_t channels, bool sigmoid = false) {
    const auto taps = int64_t(points.size());
    GuardedFloats tap_y(taps), tap_x(taps), offsets(2 * taps), own_mask(taps), column(taps * channels);
    std::fill_n(tap_y.data(), taps, 0.5f);
    std::fill_n(tap_x.data(), taps, 1.0f);
    std::copy_n(points[0].data(), 2 * taps, offsets.data());
    std::copy_n(mask.data(), taps, own_mask.data());
    const DeformWindow window{-0.5f, -1.0f, tap_y.data(), tap_x.data(), offsets.data(), own_mask.data(), sigmoid, taps};
    kernels_for<DeformKernels>(GetParam()).sample_f32(image, window, channels, column.data(), channels);
    return {column.data(), column.data() + column.size()};
  }
};

TEST_P(DeformKernel, FadesToZeroOverOnePixelAroundTheImage) {
  EXPECT_FLOAT_EQ(sample_ones(-0.5f, 1), 0.5f);
  EXPECT_NEAR(sample_ones(-0.999f, 1), 0.001f, 1e-6);
  EXPECT_FLOAT_EQ(sample_ones(2.5f, 1), 0.5f);
  EXPECT_FLOAT_EQ(sample_ones(-0.5f, 3.5f), 0.25f);
  for (const float outside : {-1.0f, -1.5f, -1e30f, -kInf, 4.0f, 1e30f, kInf}) {
    EXPECT_EQ(sample_ones(outside, 1), 0) << outside;
    EXPECT_EQ(sample_ones(1, outside), 0) << outside;
  }
}

TEST_P(DeformKernel, HandlesImagesOfOnePixel) {
  EXPECT_EQ(sample_ones(0, 0, 1, 1, 1), 1);
  EXPECT_FLOAT_EQ(sample_ones(0.25f, -0.5f, 2, 1, 1), 0.75f);
}

TEST_P(DeformKernel, NanGivesNanUnlessTheOtherCoordinateIsOutside) {
  EXPECT_TRUE(std::isnan(sample_ones(kNan, 1)));
  EXPECT_TRUE(std::isnan(sample_ones(1, kNan)));
  EXPECT_TRUE(std::isnan(sample_ones(1, 1, kNan)));
  EXPECT_TRUE(std::isnan(sample_ones(-5, 1, kNan)));
  EXPECT_EQ(sample_ones(kNan, -5), 0);
}

TEST_P(DeformKernel, IsBilinearInAllChannels) {
  const int64_t height = 5, width = 6, pitch = 40;
  const GuardedFloats image(height * width * pitch);
  for (const int64_t channels : {1, 3, 4, 9, 16, 17, 31, 32, 40}) {
    const float y = 1.25f, x = 2.625f;
    const auto column = sample({image.data() + pitch - channels, height, width, pitch, kZeros.data()},
                               {{y, x}, {4.0f, 5.0f}}, {0.5f, 1.0f}, channels);
    const auto pixel = [&](int64_t row, int64_t col, int64_t c) {
      return double(image[(row * width + col) * pitch + pitch - channels + c]);
    };
    for (int64_t c = 0; c < channels; ++c) {
      const double top = 0.375 * pixel(1, 2, c) + 0.625 * pixel(1, 3, c);
      const double bottom = 0.375 * pixel(2, 2, c) + 0.625 * pixel(2, 3, c);
      ASSERT_NEAR(column[size_t(c)], 0.5 * (0.75 * top + 0.25 * bottom), 1e-6);
      ASSERT_EQ(column[size_t(channels + c)], float(pixel(4, 5, c)));
    }
  }
}

TEST_P(DeformKernel, TakesAnyNumberOfTaps) {
  const std::vector<float> line{1, 2, 4, 8};
  for (size_t taps = 1; taps <= 40; ++taps) {
    std::vector<std::array<float, 2>> points;
    std::vector<float> mask;
    for (size_t t = 0; t < taps; ++t) {
      points.push_back({0, float(t % 4)});
      mask.push_back(float(t) / 16 - 1);
    }
    const DeformImage image{line.data(), 1, 4, 1, kZeros.data()};
    const auto plain = sample(image, points, mask, 1), squashed = sample(image, points, mask, 1, true);
    for (size_t t = 0; t < taps; ++t) {
      ASSERT_EQ(plain[t], line[t % 4] * mask[t]);
      ASSERT_NEAR(squashed[t], line[t % 4] / (1 + std::exp(-mask[t])), 2e-6);
    }
  }
}

TEST_P(DeformKernel, NeighboursOutsideDoNotCountWhateverLiesThere) {
  const std::vector<float> image{1, kInf, kNan, 1};
  const auto column =
      sample({image.data(), 2, 2, 1, kZeros.data()}, {{-0.5f, -0.5f}, {1.5f, 1.5f}, {5, 0}}, {1, 1, 1}, 1);
  EXPECT_EQ(column, (std::vector<float>{0.25f, 0.25f, 0}));
}

INSTANTIATE_TEST_SUITE_P(Isas, DeformKernel, ::testing::ValuesIn(supported_isas()));

}  // namespace
}  // namespace linnet::testing
