#include "kernels/requantize.h"

#include "kernels/byte_vectors.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

constexpr int kVectors = 4;

/// V vectors of columns of all rows; of one, only n columns where kPart. kPlain: there is no bias, and bytes need no
/// bounds but their own.
template <class T, bool kResidual, bool kPlain, int V, bool kPart = false>
class Columns {
  /// Four vectors are stored with saturation.
  static constexpr bool kClamps = !kPlain || V != kVectors;

 public:
  Columns(const RequantizeJob& job, int64_t j, int64_t n = kLanes) : job_(job), j_(j), n_(n) {
    LINNET_UNROLL for (int v = 0; v < V; ++v) {
      scale_[v] = part(job.scale + j + v * kLanes);
      if constexpr (!kPlain) bias_[v] = job.bias ? part(job.bias + j + v * kLanes) : F32(0.0f);
    }
  }

  void run(T* y) const {
    for (int64_t i = 0; i < job_.rows; ++i) {
      F32 value[V];
      LINNET_UNROLL for (int v = 0; v < V; ++v) value[v] = at(i, v);
      store_row(value, y + i * job_.y_pitch + j_);
    }
  }

 private:
  F32 part(const float* x) const { return kPart ? load_part(x, n_) : load(x); }

  I32 part(const int32_t* x) const {
    if constexpr (kPart) return load_part(x, n_);
    return I32::load_unaligned(x);
  }

  I32 sums(int64_t i, int v) const {
    const I32 sum = part(job_.sums + i * job_.columns + j_ + v * kLanes);
    return job_.w_zero ? sum - I32(job_.row_sums[i]) * part(job_.w_zero + j_ + v * kLanes) : sum;
  }

  F32 at(int64_t i, int v) const {
    F32 value = xsimd::to_float(sums(i, v)) * scale_[v];
    if constexpr (!kPlain) value = value + bias_[v];
    if constexpr (kResidual) {
      if (job_.grid) {
        const F32 held = at_most(F32(job_.grid_high), at_least(F32(job_.grid_low), value));
        value = xsimd::to_float(nearest(held)) * F32(job_.grid_scale);
      }
      const uint8_t* from = job_.residual + i * job_.residual_pitch + j_ + v * kLanes;
      const F32 residual = xsimd::to_float(kPart ? widen_part(from, n_) : widen(from));
      value = value + (residual - F32(job_.residual_zero)) * F32(job_.residual_scale);
    }
    return kClamps ? at_most(F32(job_.high), at_least(F32(job_.low), value)) : value;
  }

  void store_row(const F32 (&value)[V], float* y) const {
    LINNET_UNROLL for (int v = 0; v < V; ++v) {
      if constexpr (kPart) {
        store_part(y, value[v], n_);
      } else {
        store(y + v * kLanes, value[v]);
      }
    }
  }
  void store_row(const F32 (&value)[V], uint8_t* y) const {
    I32 rounded[V];
    LINNET_UNROLL for (int v = 0; v < V; ++v) rounded[v] = nearest(value[v]);
    if constexpr (V == 4) {
      narrow_four(rounded, int16_t(job_.zero), y);
    } else if constexpr (kPart) {
      narrow_part(rounded[0] + I32(job_.zero), y, n_);
    } else {
      narrow(rounded[0] + I32(job_.zero), y);
    }
  }

  const RequantizeJob& job_;
  int64_t j_, n_;
  F32 scale_[V], bias_[V];
};

template <class T, bool kResidual, bool kPlain>
void all_columns(const RequantizeJob& job, T* y) {
  int64_t j = 0;
  for (; j + kVectors * kLanes <= job.columns; j += kVectors * kLanes) {
    Columns<T, kResidual, kPlain, kVectors>(job, j).run(y);
  }
  for (; j + kLanes <= job.columns; j += kLanes) Columns<T, kResidual, kPlain, 1>(job, j).run(y);
  if (j < job.columns) Columns<T, kResidual, kPlain, 1, true>(job, j, job.columns - j).run(y);
}

template <bool kPlain, class T>
void requantize(const RequantizeJob& job, T* y) {
  job.residual ? all_columns<T, true, kPlain>(job, y) : all_columns<T, false, kPlain>(job, y);
}

void to_bytes(const RequantizeJob& job, uint8_t* y) {
  job.clamps || job.bias ? requantize<false>(job, y) : requantize<true>(job, y);
}

}  // namespace

void fill(RequantizeKernels& kernels);

void fill(RequantizeKernels& kernels) { kernels = {to_bytes, requantize<false, float>}; }

}  // namespace linnet::LINNET_SIMD_NS
