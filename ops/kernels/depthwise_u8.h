#pragma once

#include <cstddef>
#include <cstdint>

namespace linnet {

/// Some pixels of a line of a depthwise convolution (one filter per channel) of bytes, channels-last. The positions of
/// a window are columns across the line. The window of pixel i has the columns i * stride + t * dilation for t < taps.
struct DepthwiseBytes {
  int64_t pixels = 0, stride = 1, dilation = 1, taps = 1;
  int64_t columns = 0;   ///< columns that the pixels read
  int64_t values = 0;    ///< values of a column
  int64_t units = 0;     ///< units of a column: values / unit, rounded up; the last one may be partial
  int64_t channels = 0;  ///< channels that are computed
  int64_t channel = 0;   ///< the first of them, which begins a vector
  /// The addresses of the pixels of value v of column c at x[v * columns + c], v < units * unit.
  const uint8_t* const* x = nullptr;
  const std::byte* w = nullptr;    ///< [vector of channels][tap][unit of a column][channel][value of a unit]
  const int32_t* begin = nullptr;  ///< initial values of the sums from `channel` on; whole vectors
  int32_t* sums = nullptr;         ///< [pixel][channel]
  std::byte* scratch = nullptr;    ///< columns * units vectors for each vector of channels; aligned to 64
};

struct DepthwiseBytesKernels {
  int lanes;        ///< channels of a vector
  int unit;         ///< values that are multiplied together: 4 with int8 weights, or 2 with int16 weights
  int32_t x_shift;  ///< subtracted from the values of x
  /// Sums wrap modulo 2^32.
  void (*sums)(const DepthwiseBytes& job);
};

}  // namespace linnet
