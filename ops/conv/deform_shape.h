#pragma once

#include "conv/conv_geometry.h"
#include "kernels/epilogue.h"
#include "linnet/op.h"

namespace linnet {

/// The sizes of a deformable convolution and the layout of its tensors.
struct DeformShape {
  ConvGeometry conv;
  int64_t offset_group = 1;
  bool channels_last = false;   ///< applies to all tensors but the weights
  bool mask_in_offset = false;  ///< the mask follows the offsets in their tensor, before its sigmoid

  const ConvAxis& height() const { return conv.axes[1]; }
  const ConvAxis& width() const { return conv.axes[2]; }
  int64_t channels_per_offset_group() const { return conv.in_channels / offset_group; }
  int64_t mask_channels() const { return offset_group * conv.taps(); }
  int64_t offset_channels() const { return (mask_in_offset ? 3 : 2) * mask_channels(); }
};

/// The inputs of a deformable convolution, by position.
enum DeformInput { kDeformX, kDeformW, kDeformOffset, kDeformBias, kDeformMask, kDeformResidual };

/// The float32 kernel: multiplies sampled channels-last rows by packed weights.
KernelPtr make_deform_f32(const DeformShape& shape, const Epilogue& epilogue, const CompileInput& in);
/// The float64 kernel: plain loops over channels-first data, without residual and activation.
KernelPtr make_deform_f64(const DeformShape& shape, const CompileInput& in);

}  // namespace linnet
