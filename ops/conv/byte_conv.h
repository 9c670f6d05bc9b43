#pragma once

#include "conv/conv_geometry.h"
#include "linnet/op.h"

namespace linnet {

/// Where the operands of a convolution of 8-bit tensors are among a node's inputs.
struct ByteConvOperands {
  int x = 0, w = 1, x_zero = 2, w_zero = 3;
};

/// Checks x, w and their zero points (one element for x; one or one for each output channel for w); the output's dims.
/// Throws Error(kType) unless both are int8 or uint8.
std::optional<Dims> byte_conv_dims(std::span<const Fact> in, const ConvAttributes& attributes,
                                   const ByteConvOperands& operands);

/// Checks that a parameter has one element, or one for each of `channels` where it may.
void check_channel_parameter(const Fact& parameter, const Dim& channels, bool per_channel, const char* name);

/// The sums of (x - x_zero) * (w - w_zero) over a window, modulo 2^32; positions in the padding count as 0. x, y: laid
/// out as in ONNX. Constant weights are widened once.
class ByteConvKernel : public Kernel {
 public:
  ByteConvKernel(const CompileInput& in, const ConvGeometry& geometry, const ByteConvOperands& operands);

  void run(KernelContext& context) const final;
  size_t scratch_bytes() const final;
  bool reads(int input) const final { return input != operands_.w || !packed_w_; }

 protected:
  /// Output pixels that are computed together.
  static constexpr int64_t kTilePixels = 16;

 private:
  struct Scratch;

  /// Takes the sums of the output elements [first, first + sums.size()) of this channel; at most kTilePixels.
  virtual void store(KernelContext& context, int64_t channel, int64_t first, std::span<const int32_t> sums) const = 0;

  int64_t depth() const { return geometry_.group_in() * geometry_.taps(); }
  void run_pixels(KernelContext& context, int64_t image_group, int64_t first, int64_t pixels, const int16_t* w,
                  std::byte* scratch) const;
  int32_t gather(const Tensor& x, int64_t first_channel, const int64_t* offsets, int32_t zero, int16_t* window) const;
  void store_channels(KernelContext& context, int64_t image_group, int64_t first, std::span<const int32_t> x_sums,
                      const int32_t* sums) const;
  void widen_weights(const Tensor& w, int16_t* wide) const;

  ByteConvOperands operands_;
  ConvGeometry geometry_;
  bool has_x_zero_, has_w_zero_, w_zero_per_channel_;
  Tensor packed_w_;
};

}  // namespace linnet
