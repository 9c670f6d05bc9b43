#pragma once

#include "gemm/quantized_gemm.h"
#include "kernels/byte_rows.h"
#include "kernels/quantize.h"
#include "kernels/requantize.h"

namespace linnet {

/// Where the operands of a RoundedLinear are among a node's inputs: [matrices, depth, columns] of int8 or uint8, and
/// their scales and zero points, [matrices] or [matrices, columns].
struct RoundedOperands {
  int w, scale, zero;
};

/// y[rows, columns] = bias[columns] + x[rows, depth] * (w - zero) * scale of float32, with all of x rounded to uint8 as
/// DynamicQuantizeLinear does it. Type: GemmU8 where bytes are multiplied, else GemmS16.
template <class Type>
class RoundedLinear {
 public:
  RoundedLinear(const CompileInput& in, const RoundedOperands& operands, int64_t rows);

  /// True where w is not read any more.
  bool packed() const { return gemm_.packed(); }
  /// Scratch that run() needs, of the first worker; the others need no more.
  size_t scratch_bytes() const;
  /// In parallel. bias may be null.
  void run(KernelContext& context, int64_t matrix, const float* x, const float* bias, float* y) const;

 private:
  static GemmSizes sizes(const CompileInput& in, const RoundedOperands& operands, int64_t rows);
  static GemmWeights<int8_t> matrix_of(const Shape& w);
  /// Binds scales and zero points; x: less its zero point.
  RequantizeJob job(KernelContext& context, int64_t matrix, float x_scale, std::byte* scratch) const;
  const int32_t* sum_rows(const uint8_t* x, int32_t zero, std::byte* scratch) const;

  RoundedOperands operands_;
  int64_t rows_, depth_, columns_;
  bool has_zero_;
  QuantizedGemm<Type> gemm_;
  const QuantizeKernels& quantize_;
  const ByteRowKernels& bytes_;
  const RequantizeKernels& requantize_;
};

extern template class RoundedLinear<GemmU8>;
extern template class RoundedLinear<GemmS16>;

}  // namespace linnet
