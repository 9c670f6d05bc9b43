#pragma once

#include <cstdint>

namespace linnet {

/// Repeats pixels and lines. x has `lines` contiguous lines of n pixels. y has each pixel of a line a fixed number of
/// times, and each such line `copies` times in succession. x and y do not overlap.
using RepeatPixels = void (*)(const void* x, int64_t lines, int64_t n, int64_t copies, void* y);

/// Returns the function for pixels of `bytes` bytes that repeats each `times` times, or null. Functions exist for
/// pixels as wide as numbers and for small `times`.
RepeatPixels repeat_pixels(int64_t bytes, int64_t times);

}  // namespace linnet
