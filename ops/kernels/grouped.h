#pragma once

#include "kernels/gemm.h"

namespace linnet {

/// Convolutions of many small groups, each of `width` input and as many output channels: a vector holds the outputs of
/// several groups, and every input channel is spread over the lanes of its own group.
struct GroupedKernels {
  int lanes;  ///< output channels of a block
  /// True for widths that strip() can compute: such that divide a block.
  bool (*supports)(int64_t width);
  /// As GemmKernels::strip, with panels of one whole vector and depth the width of the groups. Pointers of `a` address
  /// the channels of column 0; column j of y belongs to input channels j / depth * depth and following.
  void (*strip)(const GemmStrip<GemmF32>& strip);
};

}  // namespace linnet
