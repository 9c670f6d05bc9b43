#include "generator/random.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/kernels_for.h"
#include "kernels/random.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

TEST(RandomKernel, DrawsThePairsOfTheStreamOneByOne) {
  const RandomStream stream{0x123456789abcdef1, 0xfedcba9876543211};
  for (const Isa isa : supported_isas()) {
    for (const uint64_t first : {uint64_t{0}, uint64_t{0xfffffff0}, uint64_t{1} << 40}) {
      for (const int64_t n : {1, 63, 64, 65, 200}) {
        std::vector<double> u(size_t(n) + 1, -1), v(u);
        kernels_for<RandomKernels>(isa).uniform_pairs(stream.seed, stream.run, first, n, u.data(), v.data());
        for (size_t i = 0; i < size_t(n); ++i) {
          const auto want = stream.uniform_pair(first + i);
          ASSERT_EQ(u[i], want[0]) << i;
          ASSERT_EQ(v[i], want[1]) << i;
        }
        EXPECT_EQ(u.back(), -1);
        EXPECT_EQ(v.back(), -1);
      }
    }
  }
}

}  // namespace
}  // namespace linnet::testing
