#pragma once

#include "gemm/quantized_gemm.h"
#include "kernels/byte_rows.h"
#include "kernels/quantize.h"
#include "kernels/requantize.h"

namespace linnet {

/// The positions of the operands of a RoundedLinear among a node's inputs. w is int8 or uint8 [matrices, depth,
/// columns]; scale and zero are [matrices] or [matrices, columns].
struct RoundedOperands {
  int w, scale, zero;
};

/// Computes y[rows, columns] = bias[columns] + x[rows, depth] * (w - zero) * scale in float32. All of x is rounded to
/// uint8 as by DynamicQuantizeLinear. Type: GemmU8 if bytes are multiplied, else GemmS16.
template <class Type>
class RoundedLinear {
 public:
  RoundedLinear(const CompileInput& in, const RoundedOperands& operands, int64_t rows);

  /// Whether w is packed, so that it is no longer read.
  bool packed() const { return gemm_.packed(); }
  /// The scratch bytes that run() needs from the first worker; the others need no more.
  size_t scratch_bytes() const;
  /// Computes the product in parallel. bias may be null.
  void run(KernelContext& context, int64_t matrix, const float* x, const float* bias, float* y) const;

 private:
  static GemmSizes sizes(const CompileInput& in, const RoundedOperands& operands, int64_t rows);
  static GemmWeights<int8_t> matrix_of(const Shape& w);
  /// Binds scales and zero points. The zero point of x is subtracted already.
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
