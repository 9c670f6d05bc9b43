#include <gtest/gtest.h>

#include "gemm/packed_gemm.h"
#include "support/guarded_floats.h"

namespace linnet {
namespace {

using testing::GuardedFloats;

/// Expects every float of the packed form where [panel][tap][depth][column] says.
void expect_packed(GemmWeights w, int64_t floats, int panel_columns, Executor* executor) {
  const GuardedFloats data(floats, 3);
  w.data = data.data();
  GuardedFloats packed(packed_floats(w, panel_columns));
  pack_weights(w, panel_columns, packed.data(), executor);
  const float* got = packed.data();
  for (int64_t first = 0; first < w.columns; first += panel_columns) {
    for (int64_t t = 0; t < w.taps; ++t) {
      for (int64_t k = 0; k < w.depth; ++k) {
        for (int64_t j = first; j < first + panel_columns; ++j) {
          const float want =
              j < w.columns ? w.scale * w.data[t * w.tap_stride + k * w.depth_stride + j * w.column_stride] : 0.f;
          ASSERT_EQ(*got++, want) << "tap " << t << " depth " << k << " column " << j;
        }
      }
    }
  }
}

TEST(PackWeights, PutsEveryWeightInItsPlace) {
  for (const int panel_columns : {4, 8, 32}) {
    for (const int64_t depth : {1, 3, 64, 131}) {
      for (const int64_t columns : {1, 5, 32, 67}) {
        for (const float scale : {1.f, 0.5f}) {
          for (const int64_t taps : {1, 4, 9, 150}) {
            GemmWeights w{.taps = taps, .depth = depth, .columns = columns, .scale = scale};
            const int64_t floats = taps * depth * columns;
            w.tap_stride = 1, w.depth_stride = taps, w.column_stride = taps * depth;  // of Conv
            expect_packed(w, floats, panel_columns, nullptr);
            w.tap_stride = depth * columns, w.depth_stride = columns, w.column_stride = 1;  // of MatMul
            expect_packed(w, floats, panel_columns, nullptr);
            w.tap_stride = depth * columns, w.depth_stride = 1, w.column_stride = depth;  // transposed
            expect_packed(w, floats, panel_columns, nullptr);
          }
        }
      }
    }
  }
}

TEST(PackWeights, TakesAnExecutor) {
  GemmWeights w{.taps = 9, .depth = 60, .columns = 200, .tap_stride = 1, .depth_stride = 9, .column_stride = 540};
  expect_packed(w, 9 * 60 * 200, 32, make_openmp_executor(3).get());
}

}  // namespace
}  // namespace linnet
