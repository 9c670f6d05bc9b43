#pragma once

#include <variant>

#include "gemm/byte_operands.h"
#include "gemm/matrix_product.h"
#include "gemm/quantized_gemm.h"
#include "gemm/widened_products.h"

namespace linnet {

/// Where the operands of a product of 8-bit matrices are among a node's inputs.
struct ByteOperands {
  int a = 0, b = 1, a_zero = 2, b_zero = 3;
};

/// The sums of (a - a_zero) * (b - b_zero) over k, modulo 2^32, of int8 or uint8 matrices. Bytes are multiplied as they
/// are where a is uint8 with one zero point and nothing is subtracted from b as int8, on a processor that can; else
/// both are widened to 16 bits.
class ByteProductKernel : public Kernel {
 public:
  ByteProductKernel(const CompileInput& in, const ByteOperands& operands);

  void run(KernelContext& context) const final;
  size_t scratch_bytes() const final {
    return std::visit([](const auto& products) { return products.scratch_bytes(); }, products_);
  }
  bool reads(int input) const final {
    return input != operands_.b || !std::visit([](const auto& products) { return products.packed(); }, products_);
  }
  std::string describe() const final {
    return std::visit([](const auto& products) { return products.describe(); }, products_);
  }

 protected:
  const MatrixProduct& product() const { return product_; }

 private:
  /// Takes the sums of these columns of row i of an output matrix.
  virtual void store(KernelContext& context, int64_t matrix, int64_t i, Span columns, const int32_t* sums) const = 0;

  ByteOperands operands_;
  MatrixProduct product_;
  ParameterIndex a_zero_;
  std::variant<WidenedProducts, QuantizedGemm<GemmU8>> products_;
  WidenFunction widen_;
};

}  // namespace linnet
