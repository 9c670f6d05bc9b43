#include "gemm/quantized_output.h"

#include <algorithm>
#include <cmath>

#include "infer/checked_values.h"
#include "infer/infer.h"
#include "kernels/kernels_for.h"
#include "kernels/requantize.h"
#include "quantization/parameter.h"
#include "tensor/alignment.h"

namespace linnet {
namespace {

using Q = QuantizedInputs;

/// Checks that a scale and its zero point are given together.
void check_pair(std::span<const Fact> in, int scale, const char* scale_name, const char* zero_name) {
  if (has_input(in, scale) != has_input(in, scale + 1)) {
    throw Error(ErrorKind::kModel, str(scale_name, " and ", zero_name, " must be given together"));
  }
  if (!has_input(in, scale)) return;
  require_one_element(in[size_t(scale)], DType::kFloat32, scale_name);
  require_one_element(in[size_t(scale) + 1], DType::kUint8, zero_name);
}

float float_input(KernelContext& context, int i) { return *context.input(i).data<float>(); }
int32_t byte_input(KernelContext& context, int i) { return *context.input(i).data<uint8_t>(); }

}  // namespace

void check_quantized_inputs(std::span<const Fact> in, const Dim& channels, std::span<const DType> weights) {
  require_inputs(in, Q::kYScale, Q::kCount);
  require_dtype(in[Q::kX], DType::kUint8, "x");
  require_dtype_in(in[Q::kW], weights, "w");
  check_pair(in, Q::kXScale, "x_scale", "x_zero");
  check_pair(in, Q::kYScale, "y_scale", "y_zero");
  check_pair(in, Q::kResidualScale, "residual_scale", "residual_zero");
  check_pair(in, Q::kGridScale, "grid_scale", "grid_zero");
  const Fact& w_scale = in[Q::kWScale];
  require_dtype(w_scale, DType::kFloat32, "w_scale");
  if (!w_scale.concrete() || w_scale.shape().elements() != 1) require_per_channel(w_scale, channels, "w_scale");
  if (has_input(in, Q::kWZero)) {
    const Fact& zero = in[Q::kWZero];
    require_same_dtype(in[Q::kW], zero, "w_zero");
    const bool one = zero.concrete() && zero.shape().elements() == 1;
    if (!one) require_rank(zero, 1, "w_zero");
    if (!one && zero.has_rank()) merge_dim(channels, zero.dim(0), "the output channels of w and the length of w_zero");
  }
  if (has_input(in, Q::kBias)) {
    const Fact& bias = in[Q::kBias];
    if (bias.dtype != DType::kInt32) require_dtype(bias, DType::kFloat32, "B");
    require_rank(bias, 1, "B");
    if (bias.has_rank()) merge_dim(channels, bias.dim(0), "the output channels of w and the length of B");
  }
  if (has_input(in, Q::kResidual)) {
    require_dtype(in[Q::kResidual], DType::kUint8, "residual");
    if (!has_input(in, Q::kResidualScale)) throw Error(ErrorKind::kModel, "residual needs residual_scale");
  }
}

void check_quantized_residual(std::span<const Fact> in, const Fact& y) {
  if (!has_input(in, Q::kResidual)) return;
  const Fact wanted(DType::kUint8, y.dims);
  if (!compatible(wanted, in[Q::kResidual])) {
    throw Error(ErrorKind::kShape, str("residual must be ", wanted, ", got ", in[Q::kResidual]));
  }
}

DType quantized_output_dtype(std::span<const Fact> in) {
  return has_input(in, Q::kYScale) ? DType::kUint8 : DType::kFloat32;
}

QuantizedOutput::QuantizedOutput(const CompileInput& in, int64_t channels, const Activation& activation)
    : kernels_(kernels_for<RequantizeKernels>(in.isa())),
      channels_(channels),
      bytes_(in.has(Q::kYScale)),
      has_residual_(in.has(Q::kResidual)),
      has_grid_(in.has(Q::kGridScale)),
      has_w_zero_(in.has(Q::kWZero)),
      scale_per_channel_(in.shape(Q::kWScale).elements() > 1),
      bias_(in.has(Q::kBias) ? in.dtype(Q::kBias) : DType::kUndefined) {
  const Epilogue epilogue = make_epilogue(activation, in.isa());
  if (epilogue.activation) throw Error(ErrorKind::kModel, "activation must be a Relu or a Clip");
  low_ = epilogue.low;
  high_ = epilogue.high;
}

size_t QuantizedOutput::scratch_bytes() const {
  const size_t values = aligned(dtype_bytes(DType::kFloat32, channels_));
  return values + values + values;
}

const int32_t* QuantizedOutput::sum_bias(KernelContext& context) const {
  return bias_ == DType::kInt32 ? context.input(Q::kBias).data<int32_t>() : nullptr;
}

void QuantizedOutput::fill_scale(KernelContext& context, float y_scale, float* scale) const {
  const float x_scale = float_input(context, Q::kXScale);
  const float* w_scale = context.input(Q::kWScale).data<float>();
  if (!scale_per_channel_) return void(std::fill_n(scale, channels_, x_scale * *w_scale / y_scale));
  for (int64_t j = 0; j < channels_; ++j) scale[j] = x_scale * w_scale[j] / y_scale;
}

void QuantizedOutput::add_residual(KernelContext& context, float y_scale, RequantizeJob& job) const {
  job.residual = context.input(Q::kResidual).data<uint8_t>();
  job.residual_pitch = channels_;
  job.residual_zero = float(byte_input(context, Q::kResidualZero));
  job.residual_scale = float_input(context, Q::kResidualScale) / y_scale;
  if (!has_grid_) return;
  const auto zero = float(byte_input(context, Q::kGridZero));
  job.grid = true;
  job.grid_low = -zero;
  job.grid_high = 255 - zero;
  job.grid_scale = float_input(context, Q::kGridScale) / y_scale;
}

void QuantizedOutput::bound_bytes(int32_t zero, RequantizeJob& job) const {
  const float least = float(-zero), greatest = float(255 - zero);
  job.zero = zero;
  job.clamps = job.low > least || job.high < greatest || !stays_small(job);
  job.low = std::max(job.low, least);
  job.high = std::min(job.high, greatest);
}

/// Whether all values are less than 2^31 in magnitude without a bias.
bool QuantizedOutput::stays_small(const RequantizeJob& job) const {
  const auto small = [](float scale) { return std::abs(scale) < 0.25f; };
  const float* end = job.scale + (scale_per_channel_ ? channels_ : 1);
  const bool product = job.grid ? small(255 * job.grid_scale * 0x1p-31f) : std::all_of(job.scale, end, small);
  return product && small(255 * job.residual_scale * 0x1p-31f);
}

QuantizedOutput::Bound QuantizedOutput::bind(KernelContext& context, std::byte* scratch,
                                             const int32_t* row_sums) const {
  const float y_scale = bytes_ ? float_input(context, Q::kYScale) : 1.0f;
  auto* scale = reinterpret_cast<float*>(scratch);
  const size_t values = aligned(dtype_bytes(DType::kFloat32, channels_));
  auto* bias = reinterpret_cast<float*>(scratch + values);
  auto* w_zero = reinterpret_cast<int32_t*>(scratch + values + values);
  fill_scale(context, has_grid_ ? float_input(context, Q::kGridScale) : y_scale, scale);
  Bound bound;
  RequantizeJob& job = bound.job_;
  job.scale = scale;
  if (bias_ == DType::kFloat32) {
    const float unit = has_grid_ ? float_input(context, Q::kGridScale) : y_scale;
    const float* from = context.input(Q::kBias).data<float>();
    for (int64_t j = 0; j < channels_; ++j) bias[j] = from[j] / unit;
    job.bias = bias;
  }
  if (has_w_zero_) {
    const Tensor& zero = context.input(Q::kWZero);
    for (int64_t j = 0; j < channels_; ++j) {
      w_zero[j] = byte_at(zero, zero.size() > 1 ? j : 0) - (zero.dtype() == DType::kUint8 ? 128 : 0);
    }
    job.w_zero = w_zero;
    job.row_sums = row_sums;
  }
  if (has_residual_) add_residual(context, y_scale, job);
  job.low = low_ / y_scale;
  job.high = high_ / y_scale;
  if (bytes_) bound_bytes(byte_input(context, Q::kYZero), job);
  job.y_pitch = channels_;
  bound.kernels_ = &kernels_;
  bound.channels_ = channels_;
  bound.y_ = static_cast<std::byte*>(context.output(0).raw());
  bound.bytes_ = bytes_;
  return bound;
}

RequantizeJob job_of_block(RequantizeJob job, const Span& rows, const Span& columns, const int32_t* sums) {
  job.sums = sums;
  job.rows = rows.size();
  job.columns = columns.size();
  job.scale += columns.begin;
  if (job.w_zero) {
    job.w_zero += columns.begin;
    job.row_sums += rows.begin;
  }
  if (job.bias) job.bias += columns.begin;
  return job;
}

void QuantizedOutput::Bound::store(const Span& rows, const Span& columns, const int32_t* sums) const {
  RequantizeJob job = job_of_block(job_, rows, columns, sums);
  const int64_t first = rows.begin * channels_ + columns.begin;
  if (job.residual) job.residual += first;
  if (bytes_) return kernels_->to_bytes(job, reinterpret_cast<uint8_t*>(y_) + first);
  kernels_->to_floats(job, reinterpret_cast<float*>(y_) + first);
}

bool QuantizedOutput::Bound::to_bytes(const Span& rows, const Span& columns, ByteBlock& to) const {
  if (!bytes_ || job_.bias || job_.w_zero) return false;
  to.job = job_of_block(job_, rows, columns, nullptr);
  const int64_t first = rows.begin * channels_ + columns.begin;
  if (to.job.residual) to.job.residual += first;
  to.y = reinterpret_cast<uint8_t*>(y_) + first;
  return true;
}

}  // namespace linnet
