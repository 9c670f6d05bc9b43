#include "roofline/roofline.h"

#include <gtest/gtest.h>

#include "kernels/kernel_table.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

class Peak : public ::testing::TestWithParam<Isa> {};

TEST_P(Peak, LoopsDoWhatTheyCount) {
  const KernelTable& table = kernel_table(GetParam());
  EXPECT_EQ(table.gemm_f32.saturate(0), 0);
  EXPECT_EQ(table.gemm_f32.saturate(10), 10 * table.gemm_f32.saturate(1));
  EXPECT_EQ(table.gemm_f32.saturate(1), 2 * table.gemm_f64.saturate(1));  // twice as many lanes
  EXPECT_EQ(2 * table.gemm_f32.saturate(1), table.gemm_s16.saturate(1));  // pairs
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
