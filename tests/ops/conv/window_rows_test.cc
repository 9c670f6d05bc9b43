#include "conv/window_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "ops/conv/window_values.h"
#include "support/guarded_floats.h"

namespace linnet::testing {
namespace {

/// Checks the windows of all output pixels, `block` at a time, and that their values can be read in units of four.
void expect_windows(const ConvGeometry& g, int block) {
  const Guarded<uint8_t> image(g.batch * g.in_pixels() * g.in_channels, 5);
  const ConvWindows windows(g);
  Guarded<uint8_t> line(windows.padding_values());
  std::fill_n(line.data(), line.size(), kPadding);
  const WindowRows<uint8_t> source(windows, image.data(), {.line = line.data(), .x_end = image.data() + image.size()});
  std::vector<const uint8_t*> pointers(size_t(block * windows.taps()));
  std::vector<std::byte> scratch(size_t(block) * windows.scratch_bytes(1));
  const int64_t positions = g.taps() / windows.taps(), pixels = g.batch * g.out_pixels();
  for (int64_t row = 0; row < pixels; row += block) {
    const int rows = int(std::min<int64_t>(block, pixels - row));
    source.rows({.row = row, .rows = rows, .taps = windows.taps(), .depth = windows.depth()}, pointers.data(),
                scratch.data());
    for (int64_t t = 0; t < windows.taps(); ++t) {
      for (int i = 0; i < rows; ++i) {
        const uint8_t* values = pointers[size_t(t * rows + i)];
        for (int64_t k = 0; k < windows.depth(); ++k) {
          const int64_t position = t * positions + k / g.in_channels, along = g.axes[2].kernel;
          ASSERT_EQ(values[k], window_value(g, image, row + i, position / along, position % along, k % g.in_channels))
              << "row " << row + i << " tap " << t << " value " << k;
        }
        const volatile uint8_t* unit = values + (windows.depth() + 3) / 4 * 4 - 1;
        ASSERT_GE(*unit, 0);
      }
    }
  }
}

TEST(WindowRows, AreTheValuesThatWindowsOfPaddedImagesRead) {
  for (const int64_t channels : {1, 3, 4, 30}) {
    for (const int block : {1, 4, 7}) {
      const auto geometry = [&](const ConvAxis& height, const ConvAxis& width) {
        return ConvGeometry{.batch = 2, .in_channels = channels, .axes = {ConvAxis(), height, width}};
      };
      expect_windows(geometry(window_axis(6, 3, 1, 1, 1, 1), window_axis(9, 3, 1, 1, 1, 1)), block);
      expect_windows(geometry(window_axis(2, 5, 1, 1, 2, 2), window_axis(12, 5, 1, 1, 2, 2)), block);
      expect_windows(geometry(window_axis(7, 3, 2, 1, 0, 2), window_axis(8, 2, 3, 1, 0, 1)), block);
      expect_windows(geometry(window_axis(7, 3, 1, 2, 2, 2), window_axis(8, 3, 2, 2, 1, 3)), block);
    }
  }
}

}  // namespace
}  // namespace linnet::testing
