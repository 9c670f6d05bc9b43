#include "rnn/rounded_linear.h"

#include <algorithm>
#include <limits>

#include "gemm/byte_operands.h"
#include "gemm/quantized_output.h"
#include "kernels/byte_rows.h"
#include "kernels/kernels_for.h"
#include "kernels/quantize.h"
#include "kernels/requantize.h"
#include "quantization/dynamic_grid.h"

namespace linnet {

template <class Type>
RoundedLinear<Type>::RoundedLinear(const CompileInput& in, const RoundedOperands& operands, int64_t rows)
    : operands_(operands),
      rows_(rows),
      depth_(in.shape(operands.w)[1]),
      columns_(in.shape(operands.w)[2]),
      has_zero_(!subtracts_nothing(in, operands.w, operands.zero)),
      gemm_(in, sizes(in, operands, rows), QuantizedMatrices::of(in, operands.w), matrix_of(in.shape(operands.w)),
            in.shape(operands.w)[0]),
      quantize_(kernels_for<QuantizeKernels>(in.isa())),
      bytes_(kernels_for<ByteRowKernels>(in.isa())),
      requantize_(kernels_for<RequantizeKernels>(in.isa())) {}

template <class Type>
GemmSizes RoundedLinear<Type>::sizes(const CompileInput& in, const RoundedOperands& operands, int64_t rows) {
  const int64_t depth = in.shape(operands.w)[1];
  return {.rows = rows,
          .columns = in.shape(operands.w)[2],
          .depth = depth,
          .workers = in.executor().workers(),
          .row_scratch_bytes = QuantizedGemm<Type>::kBytes ? MatrixRows<uint8_t>::scratch_bytes(depth, depth)
                                                           : ByteRows::scratch_bytes(depth)};
}

template <class Type>
GemmWeights<int8_t> RoundedLinear<Type>::matrix_of(const Shape& w) {
  return {.depth = w[1], .columns = w[2], .depth_stride = w[2], .column_stride = 1};
}

/// Layout after the product's scratch: scales and zero points of the columns, the sums of the rows, the rounded rows.
template <class Type>
size_t RoundedLinear<Type>::scratch_bytes() const {
  const size_t values = aligned(dtype_bytes(DType::kFloat32, columns_));
  return gemm_.scratch_bytes() + values + values + aligned(dtype_bytes(DType::kInt32, rows_)) +
         dtype_bytes(DType::kUint8, checked_mul(rows_, depth_));
}

template <class Type>
RequantizeJob RoundedLinear<Type>::job(KernelContext& context, int64_t matrix, float x_scale,
                                       std::byte* scratch) const {
  const Tensor &scales = context.input(operands_.scale), &zeros = context.input(operands_.zero);
  const int64_t columns_begin = checked_mul(matrix, columns_);
  const auto is_one = [](const Tensor& parameter) { return parameter.rank() == 1; };
  auto* scale = reinterpret_cast<float*>(scratch);
  const float* w_scale = scales.data<float>() + (is_one(scales) ? matrix : columns_begin);
  if (is_one(scales)) {
    std::fill_n(scale, columns_, x_scale * *w_scale);
  } else {
    for (int64_t j = 0; j < columns_; ++j) scale[j] = x_scale * w_scale[j];
  }
  RequantizeJob job{.columns = columns_, .scale = scale, .y_pitch = columns_};
  job.high = std::numeric_limits<float>::infinity();
  job.low = -job.high;
  if (!has_zero_) return job;
  auto* zero = reinterpret_cast<int32_t*>(scratch + aligned(dtype_bytes(DType::kFloat32, columns_)));
  const auto* bytes = static_cast<const uint8_t*>(zeros.raw());
  const uint8_t to_signed = zeros.dtype() == DType::kUint8 ? 0x80 : 0;
  const auto zero_of = [&](int64_t i) { return int32_t(int8_t(bytes[i] ^ to_signed)); };
  if (is_one(zeros)) {
    std::fill_n(zero, columns_, zero_of(matrix));
  } else {
    for (int64_t j = 0; j < columns_; ++j) zero[j] = zero_of(columns_begin + j);
  }
  job.w_zero = zero;
  return job;
}

template <class Type>
const int32_t* RoundedLinear<Type>::sum_rows(const uint8_t* x, int32_t zero, std::byte* scratch) const {
  auto* sums = reinterpret_cast<int32_t*>(scratch);
  bytes_.sum_rows(x, rows_, depth_, sums);
  for (int64_t i = 0; i < rows_; ++i) sums[i] -= int32_t(depth_ * zero);
  return sums;
}

template <class Type>
void RoundedLinear<Type>::run(KernelContext& context, int64_t matrix, const float* x, const float* bias,
                              float* y) const {
  std::byte* scratch = context.scratch() + gemm_.scratch_bytes();
  std::byte* sums = scratch + 2 * aligned(dtype_bytes(DType::kFloat32, columns_));
  auto* rounded = reinterpret_cast<uint8_t*>(sums + aligned(dtype_bytes(DType::kInt32, rows_)));
  FloatRange range;
  quantize_.extend_range(x, rows_ * depth_, &range);
  const DynamicGrid grid(range);
  grid.quantize(quantize_, x, rounded, rows_ * depth_);
  RequantizeJob all = job(context, matrix, grid.scale, scratch);
  all.bias = bias;
  if (has_zero_) all.row_sums = sum_rows(rounded, grid.zero, sums);
  const Bytes bytes(rounded, &grid.zero);
  const auto rows = [&](int64_t) {
    if constexpr (QuantizedGemm<Type>::kBytes) {
      return MatrixRows<uint8_t>(rounded, depth_);
    } else {
      return ByteRows(bytes, bytes_.widen, {}, 0, rows_, depth_);
    }
  };
  gemm_.run(
      context, 1, [&](int64_t) { return matrix; }, grid.zero, nullptr, rows,
      [&](int64_t, const Span& lines, const Span& columns, const int32_t* products) {
        requantize_.to_floats(job_of_block(all, lines, columns, products), y + lines.begin * columns_ + columns.begin);
      });
}

template class RoundedLinear<GemmU8>;
template class RoundedLinear<GemmS16>;

}  // namespace linnet
