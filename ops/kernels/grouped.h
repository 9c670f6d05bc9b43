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

}  // namespace linnet
