#include "kernels/rotary.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/kernels_for.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

class RotaryKernel : public ::testing::TestWithParam<Isa> {};

/// The positions of the values of pair i: i * step, and `second` after it.
struct Places {
  int64_t step, second;
};

void expect_rotated(void (*rotate)(const RotaryRows&), Places at, bool whole, int64_t pairs) {
  constexpr int64_t kRows = 3;
  const int64_t pitch = 2 * pairs + 5, angle_pitch = (whole ? 2 * pairs : pairs) + 3;
  const Tensor x = random_tensor({kRows, pitch}, 1), cos = random_tensor({kRows, angle_pitch}, 2),
               sin = random_tensor({kRows, angle_pitch}, 3);
  std::vector<float> y(size_t(kRows * pitch), 7.0f), want = y;
  for (int64_t r = 0; r < kRows; ++r) {
    for (int64_t i = 0; i < pairs; ++i) {
      const int64_t one = i * at.step, other = one + at.second;
      const float a = x.data<float>()[r * pitch + one], b = x.data<float>()[r * pitch + other];
      const float *c = cos.data<float>() + r * angle_pitch, *s = sin.data<float>() + r * angle_pitch;
      const int64_t first = whole ? one : i, second = whole ? other : i;
      want[size_t(r * pitch + one)] = c[first] * a - s[first] * b;
      want[size_t(r * pitch + other)] = s[second] * a + c[second] * b;
    }
  }
  rotate({x.data<float>(), y.data(), pitch, cos.data<float>(), sin.data<float>(), angle_pitch, whole, kRows, pairs});
  for (size_t i = 0; i < y.size(); ++i) {
    ASSERT_NEAR(y[i], want[i], 1e-6) << i << " of " << pairs << " pairs, " << (whole ? "an angle for each value" : "");
  }
}

TEST_P(RotaryKernel, RotatesEachPairAndTouchesNothingElse) {
  const RotaryKernels& kernels = kernels_for<RotaryKernels>(GetParam());
  for (const int64_t pairs : {1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 40}) {
    for (const bool whole : {false, true}) {
      expect_rotated(kernels.halves, {1, pairs}, whole, pairs);
      expect_rotated(kernels.neighbours, {2, 1}, whole, pairs);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, RotaryKernel, ::testing::ValuesIn(supported_isas()));

}  // namespace
}  // namespace linnet::testing
