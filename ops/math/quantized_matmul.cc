#include <numeric>

#include "gemm/bytes.h"
#include "gemm/matmul_shape.h"
#include "gemm/quantized_gemm.h"
#include "gemm/quantized_output.h"
#include "infer/infer.h"
#include "op_list.h"
#include "partition/parallel.h"

namespace linnet {
namespace {

using Q = QuantizedInputs;

template <class Type>
class QuantizedMatMulKernel final : public Kernel {
 public:
  QuantizedMatMulKernel(const CompileInput& in, const Activation& activation)
      : rows_(in.shape(Q::kX).elements() / std::max<int64_t>(1, in.shape(Q::kW)[0])),
        depth_(in.shape(Q::kW)[0]),
        gemm_(in, sizes_of(in), QuantizedMatrices::of(in, Q::kW), matrix_of(in.shape(Q::kW)), 1),
        output_(in, in.shape(Q::kW)[1], activation) {}

  void run(KernelContext& context) const override {
    const Bytes x(context.input(Q::kX), context.input(Q::kXZero));
    std::byte* scratch = context.scratch() + gemm_.scratch_bytes();
    const int32_t* row_sums = output_.has_w_zero() ? sum_rows(context, x, scratch + output_.scratch_bytes()) : nullptr;
    const QuantizedOutput::Bound output = output_.bind(context, scratch, row_sums);
    const auto rows = [&](int64_t) {
      if constexpr (QuantizedGemm<Type>::kBytes) {
        return MatrixRows<uint8_t>(x.values, depth_);
      } else {
        return ByteRows(x, {}, 0, rows_, depth_);
      }
    };
    gemm_.run(context, x.zero(0), output_.sum_bias(context), rows,
              [&](int64_t, const Span& lines, const Span& columns, const int32_t* sums) {
                output.store(lines, columns, sums);
              });
  }

  size_t scratch_bytes() const override {
    return gemm_.scratch_bytes() + output_.scratch_bytes() +
           (output_.has_w_zero() ? dtype_bytes(DType::kInt32, rows_) : 0);
  }
  bool reads(int input) const override { return input != Q::kW || !gemm_.packed(); }
  std::string describe() const override { return gemm_.describe(); }

 private:
  /// The sums of the rows of x less its zero point.
  const int32_t* sum_rows(KernelContext& context, const Bytes& x, std::byte* scratch) const {
    auto* sums = reinterpret_cast<int32_t*>(scratch);
    parallel_items(context.executor(), rows_, depth_, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) {
        const uint8_t* row = x.values + i * depth_;
        sums[i] = std::accumulate(row, row + depth_, int32_t(-depth_ * x.zero(0)));
      }
    });
    return sums;
  }

  static GemmWeights<int8_t> matrix_of(const Shape& w) {
    return {.depth = w[0], .columns = w[1], .depth_stride = w[1], .column_stride = 1};
  }
  static GemmSizes sizes_of(const CompileInput& in) {
    const int64_t depth = in.shape(Q::kW)[0];
    return {.rows = depth > 0 ? in.shape(Q::kX).elements() / depth : in.output_shape(0).elements() / in.shape(Q::kW)[1],
            .columns = in.shape(Q::kW)[1],
            .depth = depth,
            .workers = in.executor().workers(),
            .row_scratch_bytes = QuantizedGemm<Type>::kBytes ? MatrixRows<uint8_t>::scratch_bytes(depth, depth)
                                                             : ByteRows::scratch_bytes(depth)};
  }

  int64_t rows_, depth_;
  QuantizedGemm<Type> gemm_;
  QuantizedOutput output_;
};

/// linnet::QLinearMatMul: y = quantize(activation((x - x_zero) * x_scale * w * w_scale + B + residual)) in the internal
/// domain. x: uint8 [..., M, K], w: int8 [K, N], y: uint8 or float32 [..., M, N]; the other inputs: QuantizedInputs.
/// Sums wrap modulo 2^32. The activation is a clamp (attributes activation, activation_alpha, activation_beta).
class QuantizedMatMul final : public Op {
 public:
  explicit QuantizedMatMul(const NodeSpec& node) : activation_(node) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    check_quantized_inputs(
        in, in.size() > Q::kW && in[Q::kW].has_rank() && in[Q::kW].rank() == 2 ? in[Q::kW].dim(1) : Dim());
    require_rank_at_least(in[Q::kX], 1, "x");
    require_rank(in[Q::kW], 2, "w");
    const DType dtype = quantized_output_dtype(in);
    if (!in[Q::kX].has_rank() || !in[Q::kW].has_rank()) return {Fact(dtype, std::nullopt)};
    const Fact y(dtype, matmul_dims(*in[Q::kX].dims, *in[Q::kW].dims));
    check_quantized_residual(in, y);
    return {y};
  }

  KernelPtr compile(const CompileInput& in) const override {
    if (multiplies_bytes(in.isa())) return std::make_unique<QuantizedMatMulKernel<GemmU8>>(in, activation_);
    return std::make_unique<QuantizedMatMulKernel<GemmS16>>(in, activation_);
  }

 private:
  FusedActivation activation_;
};

}  // namespace

void register_quantized_matmul(Registry& registry) {
  registry.add<QuantizedMatMul>("QLinearMatMul", {.since = 1, .domain = "linnet"});
}

}  // namespace linnet
