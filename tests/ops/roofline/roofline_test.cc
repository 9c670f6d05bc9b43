#include "roofline/roofline.h"

#include <gtest/gtest.h>

#include "kernels/gemm.h"
#include "kernels/kernels_for.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

class Peak : public ::testing::TestWithParam<Isa> {};

TEST_P(Peak, LoopsDoWhatTheyCount) {
  const auto floats = kernels_for<GemmKernels<GemmF32>>(GetParam()).saturate;
  EXPECT_EQ(floats(0), 0);
  EXPECT_EQ(floats(10), 10 * floats(1));
  // There are twice as many lanes.
  EXPECT_EQ(floats(1), 2 * kernels_for<GemmKernels<GemmF64>>(GetParam()).saturate(1));
  EXPECT_EQ(2 * floats(1), kernels_for<GemmKernels<GemmS16>>(GetParam()).saturate(1));  // Two products per lane.
}

TEST_P(Peak, IsMeasuredForEveryType) {
  const Roofline roofline = measure_roofline(GetParam(), *make_openmp_executor(2));
  for (const Roofline::Peak& peak : roofline.peaks) EXPECT_GT(peak.multiply_adds_per_s, 0);
  EXPECT_GT(roofline.bytes_per_s, 0);
  EXPECT_EQ(roofline.threads, 2);
}

INSTANTIATE_TEST_SUITE_P(Isas, Peak, ::testing::ValuesIn(supported_isas()));

}  // namespace
}  // namespace linnet::testing
