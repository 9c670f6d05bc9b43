#pragma once

#include "kernels/deform.h"
#include "linnet/op.h"
#include "nn/conv_geometry.h"

namespace linnet {

struct DeformAttributes {
  ConvAttributes conv;
  int64_t offset_group = 1;
};

/// The sizes of a deformable convolution.
struct DeformShape {
  ConvGeometry conv;
  int64_t offset_group = 1;

  const ConvAxis& height() const { return conv.axes[1]; }
  const ConvAxis& width() const { return conv.axes[2]; }
  int64_t channels_per_offset_group() const { return conv.in_channels / offset_group; }
};

/// The offsets and masks of one image.
template <class T>
struct DeformField {
  const T* offset;  ///< [offset_group, taps, 2, out pixels]
  const T* mask;    ///< [offset_group, taps, out pixels]; may be null

  struct Point {
    T y, x, weight;
  };
  /// Where tap `tap` of output pixel `pixel` samples channels of offset group `group`.
  Point at(const DeformShape& s, int64_t group, int64_t tap, int64_t pixel) const {
    const ConvAxis &h = s.height(), &w = s.width();
    const int64_t pixels = s.conv.out_pixels(), channel = group * s.conv.taps() + tap;
    const int64_t y = pixel / w.out * h.stride - h.pad_begin + tap / w.kernel * h.dilation;
    const int64_t x = pixel % w.out * w.stride - w.pad_begin + tap % w.kernel * w.dilation;
    return {T(y) + offset[2 * channel * pixels + pixel], T(x) + offset[(2 * channel + 1) * pixels + pixel],
            mask ? mask[channel * pixels + pixel] : T(1)};
  }
};

/// Inputs X, W, offset, B?, mask? in float32: sampled rows, channels-last inside, times packed weights.
KernelPtr make_deform_f32(const DeformShape& shape, const CompileInput& in);
/// The same in float64, by plain loops.
KernelPtr make_deform_f64(const DeformShape& shape, const CompileInput& in);

}  // namespace linnet
