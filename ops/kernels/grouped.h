#pragma once

#include "kernels/gemm.h"

namespace linnet {

/// Convolutions of many small groups, each with `width` input channels and as many output channels. A vector holds the
/// channels of several groups.
struct GroupedKernels {
  int lanes;  ///< channels of a block
  /// Whether strip() supports a width, which must divide a block.
  bool (*supports)(int64_t width);
  /// Computes a strip like GemmKernels::strip, with panels of one whole vector and with the width of the groups as
  /// depth. The pointers `a` point to input channel 0. A panel has `width` rows for each tap. Lane j of row r holds the
  /// weight of input channel j of the block for its output channel j ^ r.
  void (*strip)(const GemmStrip<GemmF32>& strip);
};

/// Some windows of such a convolution of 16-bit integers, and some blocks of its channels.
struct GroupedPairs {
  int64_t width = 0;
  int64_t rows = 0, taps = 0;
  /// taps * rows pointers to channel 0; that of row i and tap t is x[t * rows + i]. Whole blocks can be read.
  const int16_t* const* x = nullptr;
  int64_t channel = 0, channel_end = 0;  ///< channels that are computed; the first one begins a block
  /// [block][tap][half][width / 2][lanes][2], where lanes is half the channels of a block. Lane j of row r of a half
  /// holds the weights of input channels 2j and 2j + 1 of the block for its output channel 2 (j ^ r) + half.
  const int16_t* w = nullptr;
  const int32_t* bias = nullptr;  ///< bias of channel 0 and the next ones; may be null
  int32_t* sums = nullptr;        ///< [row][channel - the first one]
};

struct GroupedPairsKernels {
  int channels;  ///< channels of a block
  /// Whether sums() supports a width, which must divide a block.
  bool (*supports)(int64_t width);
  /// Sums wrap modulo 2^32.
  void (*sums)(const GroupedPairs& job);
};

}  // namespace linnet
