#pragma once

#include "gemm/matrix_product.h"
#include "linnet/op.h"
#include "quantization/parameter.h"

namespace linnet {

/// Where the operands of a product of 8-bit matrices are among a node's inputs.
struct ByteOperands {
  int a = 0, b = 1, a_zero = 2, b_zero = 3;
};

/// The sums of (a - a_zero) * (b - b_zero) over k, modulo 2^32, of int8 or uint8 matrices. A constant B is widened
/// once.
class ByteProductKernel : public Kernel {
 public:
  ByteProductKernel(const CompileInput& in, const ByteOperands& operands);

  void run(KernelContext& context) const final;
  size_t scratch_bytes() const final;
  bool reads(int input) const final { return input != operands_.b || !packed_b_; }

 protected:
  const MatrixProduct& product() const { return product_; }

 private:
  /// Takes the sums of row i of an output matrix, which may be overwritten.
  virtual void store(KernelContext& context, int64_t matrix, int64_t i, int32_t* sums) const = 0;

  int64_t b_elements() const { return product_.b_count * product_.k * product_.n; }
  void widen_b(const Tensor& b, int16_t* wide) const;
  void run_rows(KernelContext& context, int64_t matrix, int64_t first, int64_t rows, const int16_t* b,
                std::byte* scratch) const;
  void subtract_zeros(KernelContext& context, int64_t matrix, int32_t a_sum, int32_t* sums) const;

  ByteOperands operands_;
  MatrixProduct product_;
  bool has_a_zero_, has_b_zero_;
  ParameterIndex a_zero_, b_zero_;
  Tensor packed_b_;
};

}  // namespace linnet
