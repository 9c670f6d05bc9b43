#pragma once

#include "gemm/product_loop.h"
#include "gemm/weights.h"
#include "linnet/op.h"
#include "tensor/alignment.h"

namespace linnet {

/// The source of matrices of int8, or of uint8 that become int8 less 128: an input of the node, or a tensor derived
/// from it where it is constant.
struct QuantizedMatrices {
  int input;
  Tensor constant;  ///< empty: the matrices are read in every run
  bool is_unsigned = false;

  /// Returns the matrices of an input without a change.
  static QuantizedMatrices of(const CompileInput& in, int input) {
    return {input, in.constant(input) ? *in.constant(input) : Tensor(), in.dtype(input) == DType::kUint8};
  }
};

/// Products of uint8 rows less a zero point and int8 matrices of the same sizes. Sums wrap modulo 2^32. Type: GemmU8,
/// whose rows are the given bytes, or GemmS16 where bytes are not multiplied (see multiplies_bytes()). Rows of GemmS16
/// are already widened and less the zero point.
template <class Type>
class QuantizedGemm {
 public:
  static constexpr bool kBytes = sizeof(typename Type::A) == 1;

  /// w: `count` matrices, one after another, each laid out as in `matrix` (whose data and scale are not used).
  QuantizedGemm(const CompileInput& in, const GemmSizes& sizes, const QuantizedMatrices& w,
                const GemmWeights<int8_t>& matrix, int64_t count);

  /// Whether the matrices are packed already, so that a kernel need not read them.
  bool packed() const { return bool(packed_); }
  /// The scratch bytes that each worker needs. run() uses the beginning of the scratch.
  size_t scratch_bytes() const { return scratch_bytes_; }
  std::string describe() const {
    return str(kBytes ? "u8s8 GEMM " : "int16 GEMM ", plan_.describe(), packed() ? "" : ", packing w");
  }

  /// Computes `products` products in parts. Product i is rows(i), a RowSource, times matrix_of(i), the index of a
  /// matrix. store(i, rows, columns, sums) receives the sums of these rows and columns. bias[matrix * columns + column]
  /// is added to the sums unless bias is null.
  template <class Matrix, class Rows, class Store>
  void run(KernelContext& context, int64_t products, Matrix matrix_of, int32_t x_zero, const int32_t* bias, Rows rows,
           Store store) const {
    const std::byte* w = packed() ? static_cast<const std::byte*>(packed_.raw()) : pack_in_scratch(context);
    const int32_t* begin = begin_sums(context, w, x_zero, bias);
    run_products<Type>(plan_, context, products, rows,
                       {reinterpret_cast<const B*>(w), packed_size_, begin, matrix_.columns}, matrix_of, store);
  }

 private:
  using B = typename Type::B;

  /// The size of the panels of all matrices in the packed form. For bytes, the sums of the columns follow them.
  size_t panels_bytes() const { return aligned(dtype_bytes(dtype_of<B>, checked_mul(count_, packed_size_))); }
  size_t packed_bytes() const;
  void pack(const Tensor& w, std::byte* packed, Executor& executor) const;
  const std::byte* pack_in_scratch(KernelContext& context) const;
  const int32_t* begin_sums(KernelContext& context, const std::byte* packed, int32_t x_zero, const int32_t* bias) const;

  const GemmKernels<Type>& kernels_;
  int w_;
  int8_t flip_;  // flips bits of every value of w
  GemmWeights<int8_t> matrix_;
  int64_t count_, packed_size_;
  GemmPlan<Type> plan_;
  Tensor packed_;
  size_t begin_offset_, packed_offset_, scratch_bytes_;
};

extern template class QuantizedGemm<GemmU8>;
extern template class QuantizedGemm<GemmS16>;

/// Whether products of bytes are the fastest on this instruction set, whatever the weights are.
bool multiplies_bytes(Isa isa);
/// The same for the weights of a node's input; otherwise rows are widened to int16. AVX2 and AVX-512 without VNNI add
/// two products in 16 bits. That is exact for constant weights of 7 bits, which quantisers write for such processors.
bool multiplies_bytes(const CompileInput& in, int w);

}  // namespace linnet
