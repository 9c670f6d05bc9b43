#pragma once

#include <cstddef>
#include <cstdint>

namespace linnet {

/// Some pixels of a line of a depthwise convolution of bytes, channels-last: one filter per channel. The positions of
/// a window are columns across the line: those of pixel i are i * stride + t * dilation, t < taps.
struct DepthwiseBytes {
  int64_t pixels = 0, stride = 1, dilation = 1, taps = 1;
  int64_t columns = 0;   ///< that the pixels read
  int64_t values = 0;    ///< of a column
  int64_t units = 0;     ///< of a column: values / unit, rounded up; the last may be filled in part
  int64_t channels = 0;  ///< that are computed
  int64_t channel = 0;   ///< the first of them, where a vector begins
  /// The addresses of the pixels of value v of column c at x[v * columns + c], v < units * unit.
  const uint8_t* const* x = nullptr;
  const std::byte* w = nullptr;    ///< [vector of channels][tap][unit of a column][channel][value of a unit]
  const int32_t* begin = nullptr;  ///< what the sums of `channel` and the next ones begin with; whole vectors
  int32_t* sums = nullptr;         ///< [pixel][channel]
  std::byte* scratch = nullptr;    ///< for each vector of channels columns * units vectors; aligned to 64
};

struct DepthwiseBytesKernels {
  int lanes;        ///< channels of a vector
  int unit;         ///< values that are multiplied together: 4, whose weights are int8, or 2, int16
  int32_t x_shift;  ///< what is subtracted from the values of x
  /// Sums wrap modulo 2^32.
  void (*sums)(const DepthwiseBytes& job);
};

}  // namespace linnet
