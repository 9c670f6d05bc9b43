#pragma once

#include <vector>

#include "kernels/epilogue.h"
#include "linnet/op.h"

namespace linnet {

/// The sizes of a PointwiseConv.
struct PointwiseShape {
  int64_t images = 1, image_pixels = 1, out_channels = 1;
  std::vector<int64_t> channels;  ///< channels of each x
  bool relu = false;              ///< applies to the scaled inputs

  int64_t depth() const;
};

/// The inputs of a PointwiseConv by position. The inputs from kX on are concatenated.
enum PointwiseInput { kW, kBias, kResidual, kScale, kShift, kX };

/// A float32 PointwiseConv with constant weights.
KernelPtr make_pointwise_conv(const PointwiseShape& shape, const Epilogue& epilogue, const CompileInput& in);

}  // namespace linnet
