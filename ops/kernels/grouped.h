#pragma once

#include "kernels/gemm.h"

namespace linnet {

/// Convolutions of many small groups, each of `width` input and as many output channels: a vector holds channels of
/// several groups.
struct GroupedKernels {
  int lanes;  ///< channels of a block
  /// True for widths that strip() can compute: such that divide a block.
  bool (*supports)(int64_t width);
  /// As GemmKernels::strip, with panels of one whole vector and depth the width of the groups; what its pointers `a`
  /// address is input channel 0. Row r of the `width` rows that a panel has for each tap holds in lane j the weight of
  /// input channel j of the block for its output channel j ^ r.
  void (*strip)(const GemmStrip<GemmF32>& strip);
};

/// Some windows of such a convolution of 16-bit integers, and some blocks of its channels.
struct GroupedPairs {
  int64_t width = 0;
  int64_t rows = 0, taps = 0;
  /// taps * rows pointers to channel 0: of row i and tap t at x[t * rows + i]. Whole blocks are readable.
  const int16_t* const* x = nullptr;
  int64_t channel = 0, channel_end = 0;  ///< those that are computed; the first one begins a block
  /// [block][tap][half][width / 2][lanes][2], lanes half the channels of a block: lane j of row r of a half holds the
  /// weights of input channels 2j and 2j + 1 of the block for its output channel 2 (j ^ r) + half.
  const int16_t* w = nullptr;
  const int32_t* bias = nullptr;  ///< of channel 0 and the next ones; may be null
  int32_t* sums = nullptr;        ///< [row][channel - the first one]
};

struct GroupedPairsKernels {
  int channels;  ///< of a block
  /// True for widths that sums() can compute: such that divide a block.
  bool (*supports)(int64_t width);
  /// Sums wrap modulo 2^32.
  void (*sums)(const GroupedPairs& job);
};

}  // namespace linnet
