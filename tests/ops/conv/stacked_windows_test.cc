#include "conv/stacked_windows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "linnet/executor.h"
#include "ops/conv/window_values.h"
#include "support/guarded_floats.h"

namespace linnet::testing {
namespace {

/// Checks that row r of the product is the window of output pixel r, and that whole units of a line can be read.
template <class T>
void expect_stacks(const ConvGeometry& g, int64_t unit) {
  const StackedWindows windows(g, unit, int64_t{sizeof(T)});
  ASSERT_TRUE(windows.used());
  const Guarded<T> image(g.batch * g.in_pixels() * g.in_channels, 5);
  Guarded<T> stacks(windows.values());
  for (const auto& executor : {make_serial_executor(), make_thread_executor(3)}) {
    windows.copy(*executor, image.data(), T{kPadding}, stacks.data());
    const StackedRows<T> rows(windows, stacks.data());
    const int64_t line = windows.depth() / g.axes[1].kernel, pixels = g.batch * g.out_pixels();
    ASSERT_EQ(line % unit, 0);
    for (int64_t row = 0; row < pixels; row += 7) {
      const T* pointers[7];
      const int count = int(std::min<int64_t>(7, pixels - row));
      rows.rows({.row = row, .rows = count, .depth = windows.depth()}, pointers, nullptr);
      for (int i = 0; i < count; ++i) {
        for (int64_t k = 0; k < windows.depth(); ++k) {
          const T value = pointers[i][k];
          if (k % line >= g.axes[2].kernel * g.in_channels) continue;
          const int64_t x = k % line / g.in_channels, c = k % line % g.in_channels;
          ASSERT_EQ(value, window_value(g, image, row + i, k / line, x, c)) << "row " << row + i << " value " << k;
        }
      }
    }
  }
}

ConvGeometry geometry(int64_t channels, const ConvAxis& height, const ConvAxis& width) {
  return {.batch = 2, .in_channels = channels, .axes = {ConvAxis(), height, width}};
}

TEST(StackedWindows, AreTheValuesThatWindowsOfPaddedImagesRead) {
  for (const auto& g : {geometry(3, window_axis(20, 7, 2, 1, 3, 3), window_axis(75, 7, 2, 1, 3, 3)),
                        geometry(16, window_axis(5, 3, 1, 1, 1, 1), window_axis(9, 3, 1, 1, 1, 1)),
                        geometry(3, window_axis(2, 9, 1, 1, 8, 8), window_axis(3, 5, 1, 1, 4, 4)),
                        geometry(5, window_axis(30, 11, 4, 1, 0, 2), window_axis(100, 11, 3, 1, 0, 5))}) {
    expect_stacks<uint8_t>(g, 4);
    expect_stacks<int16_t>(g, 2);
  }
}

TEST(StackedWindows, AreNotUsedWhereWindowsAreSmallOrNotOfAdjacentPixels) {
  const ConvAxis same = window_axis(20, 7, 2, 1, 3, 3);
  const auto used = [](const ConvGeometry& g) { return StackedWindows(g, 4, 1).used(); };
  EXPECT_TRUE(used(geometry(3, same, same)));
  EXPECT_FALSE(used(geometry(3, window_axis(20, 3, 1, 1, 1, 1), window_axis(20, 3, 1, 1, 1, 1))));
  EXPECT_FALSE(used(geometry(3, window_axis(20, 7, 1, 2, 6, 6), same)));
  EXPECT_FALSE(used(geometry(3, same, window_axis(20, 7, 1, 2, 6, 6))));
  EXPECT_FALSE(used(geometry(64, same, same)));
  ConvGeometry many = geometry(3, window_axis(224, 7, 2, 1, 3, 3), window_axis(224, 7, 2, 1, 3, 3));
  EXPECT_TRUE(used(many));
  many.batch = 1000;
  EXPECT_FALSE(used(many)) << "stacks would take much memory";
  const ConvAxis one = {.in = 7, .out = 1, .kernel = 7, .stride = int64_t{1} << 62};
  EXPECT_TRUE(used(geometry(3, one, one)));
}

}  // namespace
}  // namespace linnet::testing
