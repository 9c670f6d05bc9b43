#pragma once

#include "gemm/product_loop.h"
#include "gemm/weights.h"
#include "quantization/parameter.h"

namespace linnet {

/// The matrices B of several products: 8-bit integers, from which zero points are subtracted.
struct ByteMatrices {
  int input = 0, zero_input = 0;  ///< inputs of the node; zero_input may be omitted
  int64_t count = 1;
  GemmWeights<uint8_t> matrix{};  ///< layout of each of the consecutive matrices, without data and scale
  ParameterIndex zero{};
};

/// Products of 16-bit rows and 8-bit matrices of the same sizes. Sums wrap modulo 2^32. Constant matrices are packed at
/// compile time.
class WidenedProducts {
 public:
  WidenedProducts(const CompileInput& in, const GemmSizes& sizes, const ByteMatrices& b);

  /// Whether B is packed already, so that a kernel need not read it.
  bool packed() const { return bool(packed_); }
  /// The scratch bytes that each worker needs. run() uses the beginning of the scratch.
  size_t scratch_bytes() const { return scratch_bytes_; }
  std::string describe() const { return str("int16 GEMM ", plan_.describe(), packed() ? "" : ", packing B"); }

  /// Computes `count` products in parts. Product i is rows(i), a RowSource, times matrix(i), the index of a matrix.
  /// store(i, rows, columns, sums) receives the sums of these rows and columns of product i.
  template <class Rows, class Matrix, class Store>
  void run(KernelContext& context, int64_t count, Rows rows, Matrix matrix, Store store) const {
    const int16_t* b = packed() ? packed_.data<int16_t>() : pack_in_scratch(context);
    run_products<GemmS16>(plan_, context, count, rows, {b, packed_size_}, matrix, store);
  }

 private:
  void pack(const Tensor& b, const Tensor& zeros, Executor& executor, int16_t* packed) const;
  const int16_t* pack_in_scratch(KernelContext& context) const;

  ByteMatrices b_;
  GemmPlan<GemmS16> plan_;
  int64_t packed_size_;  // values of one packed matrix
  Tensor packed_;
  size_t packed_offset_, scratch_bytes_;
};

}  // namespace linnet
