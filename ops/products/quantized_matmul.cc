#include <array>

#include "gemm/byte_operands.h"
#include "gemm/matmul_shape.h"
#include "gemm/quantized_gemm.h"
#include "gemm/quantized_output.h"
#include "infer/infer.h"
#include "kernels/byte_rows.h"
#include "kernels/kernels_for.h"
#include "partition/parallel.h"
#include "registration.h"
#include "roofline/counts.h"
#include "tensor/counted_vector.h"

namespace linnet {
namespace {

using Q = QuantizedInputs;

/// The rows of x times w, or, where w has batches, each matrix of x times a matrix of w.
struct Matrices {
  Matrices(const Shape& x, const Shape& w, bool transposed_w) : transposed(transposed_w) {
    depth = w[w.rank() - (transposed ? 1 : 2)];
    columns = w[w.rank() - (transposed ? 2 : 1)];
    if (w.rank() == 2) {
      rows = x.elements(0, x.rank() - 1);
      return;
    }
    Shape logical = w;
    logical[w.rank() - 2] = depth;
    logical[w.rank() - 1] = columns;
    const MatrixProduct product = matmul_product(x, logical);
    rows = product.m;
    index = product.b_index;
    count = product.b_count;
  }

  int64_t products() const { return std::ssize(index); }
  GemmWeights<int8_t> matrix() const {
    return {.depth = depth,
            .columns = columns,
            .depth_stride = transposed ? 1 : columns,
            .column_stride = transposed ? depth : 1};
  }

  bool transposed;
  int64_t rows = 0, columns = 0, depth = 0;
  CountedVector<int64_t> index{0};  ///< for each product, the matrix of w
  int64_t count = 1;                ///< matrices of w
};

template <class Type>
class QuantizedMatMulKernel final : public Kernel {
 public:
  QuantizedMatMulKernel(const CompileInput& in, const Activation& activation, bool transposed)
      : sizes_(in.shape(Q::kX), in.shape(Q::kW), transposed),
        gemm_(in, gemm_sizes(in), QuantizedMatrices::of(in, Q::kW), sizes_.matrix(), sizes_.count),
        output_(in, sizes_.columns, activation),
        bytes_(kernels_for<ByteRowKernels>(in.isa())) {}

  void run(KernelContext& context) const override {
    const Bytes x(context.input(Q::kX), context.input(Q::kXZero));
    std::byte* scratch = context.scratch() + gemm_.scratch_bytes();
    const int32_t* row_sums = output_.has_w_zero() ? sum_rows(context, x, scratch + output_.scratch_bytes()) : nullptr;
    const QuantizedOutput::Bound output = output_.bind(context, scratch, row_sums);
    const auto rows = [&](int64_t product) {
      if constexpr (QuantizedGemm<Type>::kBytes) {
        return MatrixRows<uint8_t>(x.values + product * sizes_.rows * sizes_.depth, sizes_.depth);
      } else {
        return ByteRows(x, bytes_.widen, {}, product, sizes_.rows, sizes_.depth);
      }
    };
    gemm_.run(
        context, sizes_.products(), [&](int64_t product) { return sizes_.index[size_t(product)]; }, x.zero(0),
        output_.sum_bias(context), rows, QuantizedProducts(output, sizes_.rows, 0));
  }

  size_t scratch_bytes() const override {
    return gemm_.scratch_bytes() + output_.scratch_bytes() +
           (output_.has_w_zero() ? dtype_bytes(DType::kInt32, checked_mul(sizes_.products(), sizes_.rows)) : 0);
  }
  bool reads(int input) const override { return input != Q::kW || !gemm_.packed(); }
  std::string describe() const override { return gemm_.describe(); }

 private:
  /// Returns the sums of the rows of x less its zero point.
  const int32_t* sum_rows(KernelContext& context, const Bytes& x, std::byte* scratch) const {
    auto* sums = reinterpret_cast<int32_t*>(scratch);
    const int64_t depth = sizes_.depth;
    parallel_items(context.executor(), sizes_.products() * sizes_.rows, depth, [&](int64_t begin, int64_t end, int) {
      bytes_.sum_rows(x.values + begin * depth, end - begin, depth, sums + begin);
      for (int64_t i = begin; i < end; ++i) sums[i] -= int32_t(depth * x.zero(0));
    });
    return sums;
  }

  GemmSizes gemm_sizes(const CompileInput& in) const {
    return {.rows = sizes_.rows,
            .columns = sizes_.columns,
            .depth = sizes_.depth,
            .workers = in.executor().workers(),
            .row_scratch_bytes = QuantizedGemm<Type>::kBytes
                                     ? MatrixRows<uint8_t>::scratch_bytes(sizes_.depth, sizes_.depth)
                                     : ByteRows::scratch_bytes(sizes_.depth)};
  }

  Matrices sizes_;
  QuantizedGemm<Type> gemm_;
  QuantizedOutput output_;
  const ByteRowKernels& bytes_;
};

/// linnet::QLinearMatMul: y = quantize(activation((x - x_zero) * x_scale * w * w_scale + B + residual)), in the
/// internal domain.
/// x: uint8 [..., M, K]. w: int8 or uint8, as in numpy.matmul, but w is a matrix or has the batch dims of x or fewer;
/// with the attribute transposes_w it is [..., N, K]. y: uint8 or float32 [..., M, N]. The other inputs:
/// QuantizedInputs, w_zero of the dtype of w, an int32 B with one matrix only. Sums wrap modulo 2^32. The activation is
/// a clamp (attributes activation, activation_alpha, activation_beta).
class QuantizedMatMul final : public Op {
 public:
  explicit QuantizedMatMul(const NodeSpec& node)
      : activation_(node), transposes_w_(node.attr_or("transposes_w", int64_t{0}) != 0) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    const bool known = in.size() > Q::kW && in[Q::kW].has_rank() && in[Q::kW].rank() >= 2;
    check_quantized_inputs(in, known ? in[Q::kW].dim(in[Q::kW].rank() - (transposes_w_ ? 2 : 1)) : Dim(), kWeights);
    require_rank_at_least(in[Q::kX], 1, "x");
    require_rank_at_least(in[Q::kW], 2, "w");
    const DType dtype = quantized_output_dtype(in);
    if (in[Q::kW].dtype == DType::kUint8 && !has_input(in, Q::kWZero)) {
      throw Error(ErrorKind::kModel, "w of uint8 needs w_zero");
    }
    if (!in[Q::kX].has_rank() || !in[Q::kW].has_rank()) return {Fact(dtype, std::nullopt)};
    const Fact y(dtype, dims_of(in));
    check_quantized_residual(in, y);
    return {y};
  }

  int64_t multiply_adds(const NodeValues& v) const override { return matmul_multiply_adds(v.out(0), v.in(Q::kX)); }

  KernelPtr compile(const CompileInput& in) const override {
    if (multiplies_bytes(in, Q::kW)) {
      return std::make_unique<QuantizedMatMulKernel<GemmU8>>(in, activation_, transposes_w_);
    }
    return std::make_unique<QuantizedMatMulKernel<GemmS16>>(in, activation_, transposes_w_);
  }

 private:
  static constexpr std::array kWeights{DType::kInt8, DType::kUint8};

  Dims dims_of(std::span<const Fact> in) const {
    const Dims& x = *in[Q::kX].dims;
    Dims w = *in[Q::kW].dims;
    if (transposes_w_) std::swap(w[w.size() - 1], w[w.size() - 2]);
    if (w.size() > x.size() && w.size() > 2) throw Error(ErrorKind::kShape, "w must not have more batch dims than x");
    if (w.size() > 2 && has_input(in, Q::kBias) && in[Q::kBias].dtype == DType::kInt32) {
      throw Error(ErrorKind::kType, "B must be float32 where w has batches");
    }
    const Dims y = matmul_dims(x, w);
    for (size_t i = 0; w.size() > 2 && i + 2 < x.size(); ++i) {
      if (x[i].known() && y[i].known() && x[i].value() != y[i].value()) {
        throw Error(ErrorKind::kShape, str("x must have all batches of w, got ", in[Q::kX], " and ", in[Q::kW]));
      }
      learn_equal(x[i], y[i]);
    }
    return y;
  }

  FusedActivation activation_;
  bool transposes_w_;
};

}  // namespace

LINNET_REGISTER(quantized_matmul)(Registry& registry) {
  registry.add<QuantizedMatMul>("QLinearMatMul", {.since = 1, .domain = kInternalDomain});
}

}  // namespace linnet
