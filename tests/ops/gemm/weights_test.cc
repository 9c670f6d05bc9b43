#include "gemm/weights.h"

#include <gtest/gtest.h>

#include "gemm/panels.h"
#include "support/guarded_floats.h"

namespace linnet::testing {
namespace {

/// Expects every value of the packed weights at its position in [panel][tap][depth][column].
template <class T>
void expect_packed(GemmWeights<T> w, int64_t values, const GemmPanels& panels, Executor* executor) {
  const Guarded<T> data(values, 3);
  w.data = data.data();
  Guarded<T> packed(packed_size(panels, w.taps, w.depth));
  pack_weights(w, panels, packed.data(), executor);
  const T* got = packed.data();
  for (int64_t panel = 0; panel < panels.count(); ++panel) {
    ASSERT_EQ(got, packed.data() + panel_begin(panels, panel, w.taps, w.depth));
    for (int64_t t = 0; t < w.taps; ++t) {
      for (int64_t k = 0; k < w.depth; ++k) {
        for (int64_t j = panels.first_column(panel); j < panels.first_column(panel + 1); ++j) {
          const T want =
              j < w.columns ? T(w.scale) * w.data[t * w.tap_stride + k * w.depth_stride + j * w.column_stride] : T(0);
          ASSERT_EQ(*got++, want) << "tap " << t << " depth " << k << " column " << j;
        }
      }
    }
  }
}

template <class T>
void expect_packed_in_all_layouts(const GemmPanels& panels) {
  for (const int64_t depth : {1, 3, 64, 131}) {
    for (const float scale : {1.f, 0.5f}) {
      for (const int64_t taps : {1, 4, 9, 150}) {
        const int64_t columns = panels.columns, values = taps * depth * columns;
        GemmWeights<T> w{.taps = taps, .depth = depth, .columns = columns, .scale = scale};
        w.tap_stride = 1, w.depth_stride = taps, w.column_stride = taps * depth;  // The layout of Conv.
        expect_packed(w, values, panels, nullptr);
        w.tap_stride = depth * columns, w.depth_stride = columns, w.column_stride = 1;  // The layout of MatMul.
        expect_packed(w, values, panels, nullptr);
        w.tap_stride = depth * columns, w.depth_stride = 1, w.column_stride = depth;  // Transposed.
        expect_packed(w, values, panels, nullptr);
      }
    }
  }
}

TEST(PackWeights, PutsEveryWeightInItsPlace) {
  for (const int64_t columns : {1, 5, 32, 67}) {
    expect_packed_in_all_layouts<float>(equal_panels(columns, 1, 4));
    expect_packed_in_all_layouts<float>(equal_panels(columns, 2, 16));
    expect_packed_in_all_layouts<double>(equal_panels(columns, 3, 2));
  }
  GemmPanels mixed{.columns = 107, .lanes = 8};
  mixed.runs[0] = {4, 1};
  mixed.runs[1] = {3, 2};
  mixed.runs[2] = {2, 1};
  mixed.runs[3] = {1, 2};
  expect_packed_in_all_layouts<float>(mixed);
}

TEST(PackWeights, TakesAnExecutor) {
  GemmWeights<float> w{
      .taps = 9, .depth = 60, .columns = 200, .tap_stride = 1, .depth_stride = 9, .column_stride = 540};
  expect_packed(w, 9 * 60 * 200, equal_panels(200, 2, 16), make_openmp_executor(3).get());
}

}  // namespace
}  // namespace linnet::testing
