#pragma once

#include <cstdint>

namespace linnet {

/// Some pixels of a depthwise convolution of bytes, channels-last: one filter per channel.
struct DepthwiseBytes {
  int64_t pixels = 0, channels = 0;
  int64_t pairs = 0;                  ///< of taps, the last of which may have a second weight of zero
  const uint8_t* const* x = nullptr;  ///< 2 * pairs addresses for each pixel, tap t of pixel i at x[t * pixels + i]
  const int16_t* w = nullptr;         ///< [pair][channel][2]
  const int32_t* begin = nullptr;     ///< [channel]: what sums begin with
  int32_t* sums = nullptr;            ///< [pixel][channel]
};

struct DepthwiseBytesKernels {
  /// Sums wrap modulo 2^32.
  void (*sums)(const DepthwiseBytes& job);
};

}  // namespace linnet
