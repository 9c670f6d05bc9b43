#include <array>

#include "elements/small_float.h"
#include "gemm/byte_product_kernel.h"
#include "gemm/matmul_shape.h"
#include "infer/infer.h"
#include "quantization/requantize.h"
#include "registration.h"
#include "roofline/counts.h"

namespace linnet {
namespace {

enum Input { kA, kAScale, kAZero, kB, kBScale, kBZero, kYScale, kYZero };

constexpr std::array kTypes{DType::kInt8,           DType::kUint8,      DType::kFloat8E4M3FN,
                            DType::kFloat8E4M3FNUZ, DType::kFloat8E5M2, DType::kFloat8E5M2FNUZ};

/// Scales, and the zero point of y.
class OutputScales {
 public:
  explicit OutputScales(const CompileInput& in)
      : a_(parameter_index(in.shape(kA), in.shape(kAScale), ParameterAxis::kRow, "a_scale")),
        b_(parameter_index(in.shape(kB), in.shape(kBScale), ParameterAxis::kColumn, "b_scale")),
        y_(parameter_index(output_matrices(in), in.shape(kYScale), ParameterAxis::kRow, "y_scale")),
        y_zero_(parameter_index(output_matrices(in), in.shape(kYZero), ParameterAxis::kRow, "y_zero_point")),
        integer_output_(is_integer(in.output_dtype(0))) {}

  /// Some columns of row i of an output matrix from their sums over the shifted operands.
  template <class Sum>
  void store(KernelContext& context, const MatrixProduct& p, int64_t matrix, int64_t i, Span columns,
             const Sum* sums) const {
    Tensor& y = context.output(0);
    const int64_t offset = (matrix * p.m + i) * p.n, b_matrix = p.b_index[size_t(matrix)];
    const float a_scale = float_at(context.input(kAScale), a_.at(p.a_index[size_t(matrix)], i, 0));
    const float y_scale = float_at(context.input(kYScale), y_.at(matrix, i, 0));
    const Tensor& zeros = context.input(kYZero);
    const int64_t zero_at = y_zero_.at(matrix, i, 0);
    const double zero = integer_output_ ? byte_at(zeros, zero_at) : double(float_at(zeros, zero_at));
    float factor = 0;
    for (int64_t j = columns.begin; j < columns.end; ++j) {
      if (j == columns.begin || b_.column != 0) {
        factor = a_scale * float_at(context.input(kBScale), b_.at(b_matrix, 0, j)) / y_scale;
      }
      store_element(y, offset + j, double(*sums++) * double(factor), zero);
    }
  }

 private:
  /// The output's shape as [batch..., rows, columns]: vectors as operands leave rows or columns out.
  static Shape output_matrices(const CompileInput& in) {
    const Shape y = in.output_shape(0);
    const int rows = in.rank(kA) > 1 ? 1 : 0, columns = in.rank(kB) > 1 ? 1 : 0, batch = y.rank() - rows - columns;
    Shape matrices(y.dims().first(size_t(batch)));
    matrices.push_back(rows ? y[batch] : 1);
    matrices.push_back(columns ? y[batch + rows] : 1);
    return matrices;
  }
  void store_element(Tensor& y, int64_t i, double value, double zero) const {
    if (integer_output_) return store_rounded(y, i, value, int32_t(zero));
    static_cast<uint8_t*>(y.raw())[i] = encode_small_float(y.dtype(), value + zero, {});
  }

  ParameterIndex a_, b_, y_, y_zero_;
  bool integer_output_;
};

class ByteKernel final : public ByteProductKernel {
 public:
  explicit ByteKernel(const CompileInput& in)
      : ByteProductKernel(in, {.a = kA, .b = kB, .a_zero = kAZero, .b_zero = kBZero}), scales_(in) {}

 private:
  void store(KernelContext& context, int64_t matrix, int64_t i, Span columns, const int32_t* sums) const override {
    scales_.store(context, product(), matrix, i, columns, sums);
  }

  OutputScales scales_;
};

/// The product of operands of which at least one is float8: plain loops in double.
class RealKernel final : public Kernel {
 public:
  explicit RealKernel(const CompileInput& in)
      : product_(matmul_product(in.shape(kA), in.shape(kB))),
        a_zero_(parameter_index(in.shape(kA), in.shape(kAZero), ParameterAxis::kRow, "a_zero_point")),
        b_zero_(parameter_index(in.shape(kB), in.shape(kBZero), ParameterAxis::kColumn, "b_zero_point")),
        scales_(in) {}

  void run(KernelContext& context) const override {
    context.executor().parallel_for(product_.batch() * product_.m, [&](int64_t row, int worker) {
      auto* sums = reinterpret_cast<double*>(context.scratch(worker));
      sum_row(context, row / product_.m, row % product_.m, sums);
      scales_.store(context, product_, row / product_.m, row % product_.m, {0, product_.n}, sums);
    });
  }
  size_t scratch_bytes() const override { return dtype_bytes(DType::kFloat64, product_.n); }

 private:
  static double value(const Tensor& tensor, int64_t i) {
    return is_integer(tensor.dtype()) ? byte_at(tensor, i) : double(float_at(tensor, i));
  }

  void sum_row(KernelContext& context, int64_t matrix, int64_t i, double* sums) const {
    const MatrixProduct& p = product_;
    const int64_t a_matrix = p.a_index[size_t(matrix)], b_matrix = p.b_index[size_t(matrix)];
    const double a_zero = value(context.input(kAZero), a_zero_.at(a_matrix, i, 0));
    std::fill_n(sums, p.n, 0.0);
    for (int64_t k = 0; k < p.k; ++k) {
      const double a = value(context.input(kA), (a_matrix * p.m + i) * p.k + k) - a_zero;
      for (int64_t j = 0; j < p.n; ++j) {
        const double b_zero = value(context.input(kBZero), b_zero_.at(b_matrix, 0, j));
        sums[j] += a * (value(context.input(kB), (b_matrix * p.k + k) * p.n + j) - b_zero);
      }
    }
  }

  MatrixProduct product_;
  ParameterIndex a_zero_, b_zero_;
  OutputScales scales_;
};

/// QLinearMatMul: y = saturate(round(a * b / y_scale) + y_zero_point) of the dequantised operands, as numpy.matmul;
/// ties to even; for a float8 y rounded into the type. Integer sums wrap modulo 2^32.
/// a [..., M, K], b [..., K, N], y [..., M, N]: int8/uint8/float8 (from opset 21 on), each with a zero point of its
/// dtype and a float/float16/bfloat16 scale: one element, or for a and y [M] or [..., M, 1], for b [N] or [..., 1, N].
/// One of the two may have one element where the other has more, as in ONNX Runtime.
/// Source: https://onnx.ai/onnx/operators/onnx__QLinearMatMul.html
class QLinearMatMul final : public Op {
 public:
  explicit QLinearMatMul(const NodeSpec&) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 8, 8);
    for (const size_t i : {kA, kB}) {
      const char* name = i == kA ? "a" : "b";
      require_dtype_in(in[i], kTypes, name);
      require_rank_at_least(in[i], 1, name);
      check_parameters(in[i], in[i + 1], in[i + 2], name);
    }
    require_dtype_in(in[kYZero], kTypes, "y_zero_point");
    check_parameters(Fact(), in[kYScale], in[kYZero], "y");
    const DType dtype = in[kYZero].dtype;
    if (!in[kA].has_rank() || !in[kB].has_rank()) return {Fact(dtype, std::nullopt)};
    return {Fact(dtype, matmul_dims(*in[kA].dims, *in[kB].dims))};
  }

  int64_t multiply_adds(const NodeValues& v) const override { return matmul_multiply_adds(v.out(0), v.in(kA)); }

  KernelPtr compile(const CompileInput& in) const override {
    if (is_integer(in.dtype(kA)) && is_integer(in.dtype(kB))) return std::make_unique<ByteKernel>(in);
    return std::make_unique<RealKernel>(in);
  }
};

}  // namespace

LINNET_REGISTER(qlinear_matmul)(Registry& registry) { registry.add<QLinearMatMul>("QLinearMatMul", {.since = 10}); }

}  // namespace linnet
