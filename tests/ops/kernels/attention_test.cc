#include "kernels/attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/kernels_for.h"
#include "support/guarded_floats.h"
#include "support/run_op.h"

namespace linnet::testing {
namespace {

TEST(AttentionKernels, MultiplyRowsWithinTheirMemory) {
  for (const Isa isa : supported_isas()) {
    const AttentionKernels& k = kernels_for<AttentionKernels>(isa);
    for (const int64_t n : {1, 3, 8, 15, 16, 33, 64, 70, 130}) {
      for (const int64_t rows : {1, 4, 7, 16, 37}) {
        const int64_t pitch = n + 5;
        GuardedFloats q(n, 1), m((rows - 1) * pitch + n, 2), p(rows, 3), dots(rows), y(n, 4), start(n, 4);
        k.dot_rows(q.data(), m.data(), pitch, rows, n, dots.data());
        k.add_weighted_rows(p.data(), m.data(), pitch, rows, n, y.data());
        GuardedFloats outer((rows - 1) * pitch + n, 5), before((rows - 1) * pitch + n, 5);
        k.add_outer_product(p.data(), q.data(), rows, n, outer.data(), pitch);
        for (int64_t i = 0; i < outer.size(); ++i) {
          const double product = i % pitch < n ? double(p[i / pitch]) * double(q[i % pitch]) : 0;
          ASSERT_NEAR(double(outer[i]), double(before[i]) + product, 1e-5);
        }
        for (int64_t j = 0; j < rows; ++j) {
          double want = 0;
          for (int64_t d = 0; d < n; ++d) want += double(q[d]) * double(m[j * pitch + d]);
          ASSERT_NEAR(double(dots[j]), want, 1e-5 * std::sqrt(double(n)));
        }
        for (int64_t d = 0; d < n; ++d) {
          double want = double(start[d]);
          for (int64_t j = 0; j < rows; ++j) want += double(p[j]) * double(m[j * pitch + d]);
          ASSERT_NEAR(double(y[d]), want, 1e-5);
        }
      }
    }
  }
}

TEST(AttentionKernels, GiveARowTheSameBitsWhereverItStands) {
  for (const Isa isa : supported_isas()) {
    const AttentionKernels& k = kernels_for<AttentionKernels>(isa);
    for (const int64_t n : {1, 13, 16, 64, 70, 80}) {
      constexpr int64_t kRows = 45;
      GuardedFloats q(n, 1), m(kRows * n, 2), dots(kRows), alone(1);
      k.dot_rows(q.data(), m.data(), n, kRows, n, dots.data());
      for (int64_t j = 0; j < kRows; ++j) {
        k.dot_rows(q.data(), m.data() + j * n, n, 1, n, alone.data());
        ASSERT_EQ(dots[j], alone[0]) << "row " << j << " of " << n;
      }
    }
  }
}

TEST(AttentionKernels, AddBiasKeepsMinusInfinityFromWhatItMeets) {
  constexpr float kLowest = -std::numeric_limits<float>::infinity();
  for (const Isa isa : supported_isas()) {
    const AttentionKernels& k = kernels_for<AttentionKernels>(isa);
    EXPECT_EQ(k.add_bias(nullptr, nullptr, 0), kLowest);
    for (int64_t n = 1; n < 40; ++n) {
      GuardedFloats x(n, 1), start(n, 1), bias(n, 2);
      float most = kLowest;
      for (int64_t j = 0; j < n; ++j) {
        if (j % 3 == 0) bias[j] = kLowest;
        if (j % 6 == 0) x[j] = j % 12 == 0 ? NAN : -kLowest;
        most = std::max(most, bias[j]);
      }
      EXPECT_EQ(k.add_bias(x.data(), bias.data(), n), most);
      for (int64_t j = 0; j < n; ++j) EXPECT_EQ(x[j], j % 3 == 0 ? kLowest : start[j] + bias[j]);
    }
  }
}

}  // namespace
}  // namespace linnet::testing
