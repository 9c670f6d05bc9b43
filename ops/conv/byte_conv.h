#pragma once

#include "conv/window_rows.h"
#include "gemm/widened_products.h"
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
/// out as in ONNX.
class ByteConvKernel : public Kernel {
 public:
  ByteConvKernel(const CompileInput& in, const ConvGeometry& geometry, const ByteConvOperands& operands);

  void run(KernelContext& context) const final;
  size_t scratch_bytes() const final { return scratch_bytes_; }
  bool reads(int input) const final { return input != operands_.w || !products_.packed(); }
  std::string describe() const final { return products_.describe(); }

 private:
  /// Takes the sums of the output elements [first, first + n) of this channel, which are sums[i * pitch].
  virtual void store(KernelContext& context, int64_t channel, int64_t first, int64_t n, const int32_t* sums,
                     int64_t pitch) const = 0;

  void widen_images(KernelContext& context, int16_t* to) const;
  void store_part(KernelContext& context, int64_t first_channel, Span pixels, int64_t channels,
                  const int32_t* sums) const;

  ByteConvOperands operands_;
  int64_t group_channels_;  // of x
  ConvGeometry geometry_;   // of x widened, whose groups have an even number of channels
  ConvWindows windows_;
  WidenedProducts products_;
  size_t x_offset_, scratch_bytes_;
};

}  // namespace linnet
