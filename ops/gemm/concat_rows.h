#pragma once

#include <vector>

#include "gemm/rows.h"
#include "kernels/epilogue.h"
#include "kernels/normalize.h"
#include "linnet/op.h"

namespace linnet {

/// The transformation of the values of a pixel, by channel: max(low, x * scale + shift), or x * scale without a shift.
struct PixelScaling {
  const float* scale = nullptr;  ///< [channels], or one such row for every image; null: x is unchanged
  int64_t image_pitch = 0;       ///< distance from one image's scale to the next
  const float* shift = nullptr;  ///< [channels]; may be null
  float low = -Epilogue::kUnbounded;
};

/// The pixels of channels-last tensors, concatenated along the channels and scaled, as the rows of a matrix product.
/// The tensors are the context's inputs from first_input on; `channels` are the channels of each.
class ConcatRows final : public RowSource<float> {
 public:
  ConcatRows(const KernelContext& context, int first_input, const std::vector<int64_t>& channels, int64_t image_pixels,
             const PixelScaling& scaling, const NormalizeKernels& kernels)
      : context_(context),
        first_input_(first_input),
        channels_(channels),
        image_pixels_(image_pixels),
        scaling_(scaling),
        scale_rows_(kernels.scale_rows) {}

  void rows(const RowBlock& block, const float** pointers, std::byte* scratch) const override;

  /// Returns the scratch bytes that rows() needs for each row.
  static size_t scratch_bytes(int64_t depth) { return dtype_bytes(DType::kFloat32, row_copy_pitch<float>(depth)); }

 private:
  /// Rows of one tensor: some of its channels, which begin at `channel` of the concatenation, and their destination.
  struct Part {
    const float* x;
    int64_t x_pitch;
    float* y;
    int64_t y_pitch;
    int64_t channel, channels;
  };

  const float* tensor(int64_t i) const { return context_.input(first_input_ + int(i)).data<float>(); }
  void copy_rows(Part part, int64_t row, int64_t rows) const;

  const KernelContext& context_;
  int first_input_;
  const std::vector<int64_t>& channels_;
  int64_t image_pixels_;
  PixelScaling scaling_;
  decltype(NormalizeKernels::scale_rows) scale_rows_;
};

/// The same without scaling, where all tensors have the same number of channels. Each tensor is a tap of the product,
/// without a copy.
class TensorTaps final : public RowSource<float> {
 public:
  TensorTaps(const KernelContext& context, int first_input, int64_t channels)
      : context_(context), first_input_(first_input), channels_(channels) {}

  void rows(const RowBlock& block, const float** pointers, std::byte* scratch) const override;

 private:
  const KernelContext& context_;
  int first_input_;
  int64_t channels_;
};

}  // namespace linnet
