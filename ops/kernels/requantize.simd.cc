#include "kernels/requantize.h"

#include "kernels/byte_vectors.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

template <class T>
constexpr bool kBytes = sizeof(T) == 1;

/// n columns of all rows, kLanes of them where kWhole.
template <class T, bool kResidual, bool kWhole>
void columns(const RequantizeJob& job, T* y, int64_t j, int64_t n) {
  const auto part = [&](const float* x) { return kWhole ? load(x) : load_part(x, n); };
  const F32 scale = part(job.scale + j), bias = job.bias ? part(job.bias + j) : F32(0.0f);
  const F32 low(job.low), high(job.high);
  const F32 residual_zero(job.residual_zero), residual_scale(job.residual_scale);
  const I32 zero(job.zero);
  for (int64_t i = 0; i < job.rows; ++i) {
    const int32_t* sums = job.sums + i * job.columns + j;
    I32 sum;
    if constexpr (kWhole) {
      sum = I32::load_unaligned(sums);
    } else {
      int32_t buffer[kLanes] = {};
      std::memcpy(buffer, sums, size_t(n) * sizeof(int32_t));
      sum = I32::load_unaligned(buffer);
    }
    F32 v = xsimd::to_float(sum) * scale;
    if (job.bias) v = v + bias;
    if constexpr (kResidual) {
      if (job.grid) {
        v = xsimd::to_float(nearest(at_most(F32(job.grid_high), at_least(F32(job.grid_low), v)))) * F32(job.grid_scale);
      }
      const uint8_t* residual = job.residual + i * job.residual_pitch + j;
      const F32 r = xsimd::to_float(kWhole ? widen(residual) : widen_part(residual, n));
      v = v + (r - residual_zero) * residual_scale;
    }
    v = at_most(high, at_least(low, v));
    T* to = y + i * job.y_pitch + j;
    if constexpr (kBytes<T>) {
      const I32 value = nearest(v) + zero;
      kWhole ? narrow(value, to) : narrow_part(value, to, n);
    } else {
      kWhole ? store(to, v) : store_part(to, v, n);
    }
  }
}

template <class T, bool kResidual>
void all_columns(const RequantizeJob& job, T* y) {
  int64_t j = 0;
  for (; j + kLanes <= job.columns; j += kLanes) columns<T, kResidual, true>(job, y, j, kLanes);
  if (j < job.columns) columns<T, kResidual, false>(job, y, j, job.columns - j);
}

template <class T>
void requantize(const RequantizeJob& job, T* y) {
  job.residual ? all_columns<T, true>(job, y) : all_columns<T, false>(job, y);
}

}  // namespace

void fill(RequantizeKernels& kernels);

void fill(RequantizeKernels& kernels) { kernels = {requantize<uint8_t>, requantize<float>}; }

}  // namespace linnet::LINNET_SIMD_NS
