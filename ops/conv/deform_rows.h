#pragma once

#include "conv/deform_shape.h"
#include "gemm/rows.h"
#include "kernels/deform.h"
#include "linnet/op.h"
#include "tensor/counted_vector.h"

namespace linnet {

/// The windows of a deformable convolution over channels-last data, as the rows of a matrix product. Row r is the
/// window of output pixel r (of all images). Its tap t holds the samples of one group's channels at that tap.
class DeformWindows {
 public:
  explicit DeformWindows(const DeformShape& shape);

  /// Returns the scratch bytes that a row needs.
  size_t scratch_bytes() const;

 private:
  friend class DeformRows;

  DeformShape shape_;
  CountedVector<float> tap_y_, tap_x_;  // coordinates of the taps within a window
  CountedVector<float> zeros_;
};

/// The channels-last data that windows read; mask may be null. A pitch is the distance from one output pixel to the
/// next.
struct DeformField {
  const float* x = nullptr;
  const float* offset = nullptr;
  const float* mask = nullptr;
  int64_t offset_pitch = 0, mask_pitch = 0;
};

/// The windows of one group of channels.
class DeformRows final : public RowSource<float> {
 public:
  DeformRows(const DeformWindows& windows, const DeformKernels& kernels, const DeformField& field, int64_t group)
      : windows_(windows), kernels_(kernels), field_(field), group_(group) {}
  void rows(const RowBlock& block, const float** pointers, std::byte* scratch) const override;

 private:
  /// Samples `channels` channels from `channel` on, all of one offset group. samples: where those of the first row's
  /// first tap are written.
  void sample_channels(const RowBlock& block, int64_t offset_group, int64_t channel, int64_t channels,
                       float* samples) const;

  const DeformWindows& windows_;
  const DeformKernels& kernels_;
  DeformField field_;
  int64_t group_;
};

}  // namespace linnet
