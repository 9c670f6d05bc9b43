#pragma once

#include "conv/deform_shape.h"
#include "gemm/rows.h"
#include "kernels/deform.h"
#include "linnet/op.h"
#include "tensor/counted_vector.h"

namespace linnet {

/// The windows of a deformable convolution over channels-last data, as the rows of a matrix product: row r is the
/// window of output pixel r (of all images), tap t the samples there of a group's channels.
class DeformWindows {
 public:
  explicit DeformWindows(const DeformShape& shape);

  /// Scratch for a row.
  size_t scratch_bytes() const;

 private:
  friend class DeformRows;

  DeformShape shape_;
  CountedVector<float> tap_y_, tap_x_;  // of the taps within a window
  CountedVector<float> zeros_;
};

/// The channels-last data that windows read; mask may be null. Pitches: from one output pixel to the next.
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
  /// `channels` channels from `channel` on, of one offset group; samples: those of the first row's first tap.
  void sample_channels(const RowBlock& block, int64_t offset_group, int64_t channel, int64_t channels,
                       float* samples) const;

  const DeformWindows& windows_;
  const DeformKernels& kernels_;
  DeformField field_;
  int64_t group_;
};

}  // namespace linnet
