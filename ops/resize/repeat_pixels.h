#pragma once

#include <cstdint>

namespace linnet {

/// Lines of n pixels each, one behind the other: y has each pixel of a line some times, a fixed number, and each such
/// line `copies` times, one behind the other. x and y do not overlap.
using RepeatPixels = void (*)(const void* x, int64_t lines, int64_t n, int64_t copies, void* y);

/// For pixels of so many bytes, each of them so many times; null where there is no such function: there are some for
/// pixels as wide as numbers and for few times.
RepeatPixels repeat_pixels(int64_t bytes, int64_t times);

}  // namespace linnet
