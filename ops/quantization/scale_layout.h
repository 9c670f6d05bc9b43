#pragma once

#include "elements/wide.h"
#include "linnet/op.h"

namespace linnet {

/// Consecutive elements. Element i has the scale at position scale + i / block.
struct ScaleRun {
  int64_t n;
  std::ptrdiff_t scale;
  int64_t block;
};

/// The scale of each element of a tensor: one for all, one for each index of an axis, or one for each block of
/// block_size elements along an axis.
/// Source: https://onnx.ai/onnx/operators/onnx__QuantizeLinear.html
class ScaleLayout {
 public:
  /// block_size is 0 if scales are not blocked. Throws Error(kShape) if the scale's shape does not match x's.
  ScaleLayout(const Shape& x, const Shape& scale, int64_t axis, int64_t block_size);

  /// Whether all elements share one scale, at position 0.
  bool per_tensor() const { return per_tensor_; }
  /// Writes the positions of the scales of the elements [first, first + n).
  void positions(int64_t first, int64_t n, int64_t* out) const;
  /// Returns the longest run that begins with element `first` and ends at `end` at the latest.
  ScaleRun run(int64_t first, int64_t end) const;

 private:
  /// The position of the scale of an element.
  std::ptrdiff_t position(int64_t outer, int64_t index, int64_t column) const;

  bool per_tensor_;
  bool blocked_;
  int64_t block_ = 1;   ///< The number of elements along the axis per scale.
  int64_t scales_ = 1;  ///< The number of scales along the axis.
  int64_t length_ = 1;  ///< The length of the axis.
  int64_t inner_ = 1;   ///< The number of elements per index of the axis.
};

/// The number of elements that are quantised or dequantised at a time; a divisor of kChunkElements.
inline constexpr int64_t kQuantizationBlock = 256;

/// Scale and zero point of each element of a block.
struct ScaleBlock {
  float scale[kQuantizationBlock];
  float zero_point[kQuantizationBlock];
};

/// Reads scales (input 1) and zero points (input 2; zeros if omitted).
class ScaleReader {
 public:
  ScaleReader(const CompileInput& in, int64_t axis, int64_t block_size);
  /// Fills the block for the elements [first, first + n). `filled` specifies whether it contains another block already.
  void fill(KernelContext& context, int64_t first, int64_t n, bool filled, ScaleBlock& block) const;

 private:
  ScaleLayout layout_;
  WideReader scale_, zero_point_;
  bool integer_scale_, integer_zero_point_;
};

/// Converts x (input 0) to output 0, both of any numeric dtype, block by block with the scale of each element.
class ScaledBlocksKernel : public Kernel {
 public:
  ScaledBlocksKernel(const CompileInput& in, const ScaleReader& scales, WideWriter write)
      : elements_(in.shape(0).elements()), scales_(scales), read_(wide_reader(in.dtype(0))), write_(std::move(write)) {}

  void run(KernelContext& context) const final;

 private:
  /// Converts n elements of x to those of y, in place.
  virtual void convert(const ScaleBlock& scales, int64_t n, Wide* block) const = 0;

  int64_t elements_;
  ScaleReader scales_;
  WideReader read_;
  WideWriter write_;
};

/// Checks scale and zero point against x and, if all are concrete, the layout of the scales.
void check_scales(std::span<const Fact> in, int64_t axis, int64_t block_size);

}  // namespace linnet
