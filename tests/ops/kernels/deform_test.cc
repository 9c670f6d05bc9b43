#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/kernel_table.h"
#include "support/guarded_floats.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class DeformKernel : public ::testing::TestWithParam<Isa> {
 protected:
  float sample_ones(float y, float x, float weight = 1, int64_t height = 3, int64_t width = 4) {
    const std::vector<float> ones(size_t(height * width), 1.0f);
    const DeformSample point{y, x, weight};
    float result = -1;
    kernel_table(GetParam()).deform.sample_f32(ones.data(), height, width, 1, 1, &point, 1, &result, 1);
    return result;
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
    const DeformSample points[] = {{y, x, 0.5f}, {4.0f, 5.0f, 1.0f}};
    GuardedFloats column(2 * channels);
    kernel_table(GetParam())
        .deform.sample_f32(image.data() + pitch - channels, height, width, pitch, channels, points, 2, column.data(),
                           channels);
    const auto pixel = [&](int64_t row, int64_t col, int64_t c) {
      return double(image[(row * width + col) * pitch + pitch - channels + c]);
    };
    for (int64_t c = 0; c < channels; ++c) {
      const double top = 0.375 * pixel(1, 2, c) + 0.625 * pixel(1, 3, c);
      const double bottom = 0.375 * pixel(2, 2, c) + 0.625 * pixel(2, 3, c);
      ASSERT_NEAR(column[c], 0.5 * (0.75 * top + 0.25 * bottom), 1e-6);
      ASSERT_EQ(column[channels + c], float(pixel(4, 5, c)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, DeformKernel, ::testing::ValuesIn(supported_isas()));

}  // namespace
}  // namespace linnet::testing
