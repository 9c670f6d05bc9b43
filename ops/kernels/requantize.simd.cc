#include "kernels/requantize.h"

#include "kernels/byte_residual.h"
#include "partition/parts.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

constexpr int kVectors = 4;

/// Computes V vectors of columns of all rows. Where kPart, the last vector has only `last` columns. kPlain: there is no
/// bias, and bytes need no bounds but those of the type.
template <class T, bool kResidual, bool kPlain, int V, bool kPart>
class Columns {
 public:
  Columns(const RequantizeJob& job, int64_t j, int64_t last) : job_(job), j_(j), last_(last) {
    LINNET_UNROLL for (int v = 0; v < V; ++v) {
      scale_[v] = part(job.scale + j + v * kLanes, v);
      if constexpr (!kPlain) bias_[v] = job.bias ? part(job.bias + j + v * kLanes, v) : F32(0.0f);
    }
  }

  void run(T* y) const {
    int64_t i = 0;
    for (const int64_t end = overhanging_rows(); i < end; ++i) row<true>(i, y);
    for (; i < job_.rows; ++i) row<false>(i, y);
  }

 private:
  static constexpr bool is_part(int v) { return kPart && v == V - 1; }

  /// Returns how many of the first rows may be stored as kVectors vectors. The excess is overwritten by the rows that
  /// follow.
  int64_t overhanging_rows() const {
    if (V == kVectors && !kPart) return job_.rows;
    if (j_ > 0 || job_.y_pitch != job_.columns) return 0;
    const int64_t values = job_.rows * job_.y_pitch - kVectors * kLanes;
    return values < 0 ? 0 : values / job_.y_pitch + 1;
  }

  template <bool kOverhangs>
  [[gnu::always_inline]] void row(int64_t i, T* y) const {
    F32 value[V];
    LINNET_UNROLL for (int v = 0; v < V; ++v) value[v] = at(i, v);
    store_row<kOverhangs>(value, y + i * job_.y_pitch + j_);
  }

  F32 part(const float* x, int v) const { return is_part(v) ? load_part(x, last_) : load(x); }
  I32 part(const int32_t* x, int v) const { return is_part(v) ? load_part(x, last_) : I32::load_unaligned(x); }

  I32 sums(int64_t i, int v) const {
    const I32 sum = part(job_.sums + i * job_.columns + j_ + v * kLanes, v);
    return job_.w_zero ? sum - I32(job_.row_sums[i]) * part(job_.w_zero + j_ + v * kLanes, v) : sum;
  }

  F32 at(int64_t i, int v) const {
    F32 value = xsimd::to_float(sums(i, v)) * scale_[v];
    if constexpr (!kPlain) value = value + bias_[v];
    if constexpr (kResidual) {
      const uint8_t* from = job_.residual + i * job_.residual_pitch + j_ + v * kLanes;
      value = add_byte_residual(job_, value, is_part(v) ? widen_part(from, last_) : widen(from));
    }
    return kPlain ? value : at_most(F32(job_.high), at_least(F32(job_.low), value));
  }

  template <bool>
  void store_row(const F32 (&value)[V], float* y) const {
    LINNET_UNROLL for (int v = 0; v < V; ++v) {
      if (is_part(v)) {
        store_part(y + v * kLanes, value[v], last_);
      } else {
        store(y + v * kLanes, value[v]);
      }
    }
  }
  template <bool kOverhangs>
  void store_row(const F32 (&value)[V], uint8_t* y) const {
    I32 rounded[kVectors];
    LINNET_UNROLL for (int v = 0; v < kVectors; ++v) rounded[v] = v < V ? nearest(value[v < V ? v : 0]) : I32(0);
    const auto zero = int16_t(job_.zero);
    if constexpr (kOverhangs) return narrow_four(rounded, zero, y);
    uint8_t buffer[kVectors * kLanes];
    narrow_four(rounded, zero, buffer);
    if constexpr (kPart) {
      std::memcpy(y, buffer, size_t((V - 1) * kLanes + last_));
    } else {
      std::memcpy(y, buffer, V * kLanes);
    }
  }

  const RequantizeJob job_;  // a copy, as stores of bytes may alias it
  int64_t j_, last_;
  F32 scale_[V], bias_[V];
};

template <class T, bool kResidual, bool kPlain, bool kPart>
void last_columns(const RequantizeJob& job, int64_t j, int64_t last, T* y) {
  switch (ceil_div(job.columns - j, kLanes)) {
    case 1:
      return Columns<T, kResidual, kPlain, 1, kPart>(job, j, last).run(y);
    case 2:
      return Columns<T, kResidual, kPlain, 2, kPart>(job, j, last).run(y);
    case 3:
      return Columns<T, kResidual, kPlain, 3, kPart>(job, j, last).run(y);
    default:
      return Columns<T, kResidual, kPlain, 4, kPart>(job, j, last).run(y);
  }
}

template <class T, bool kResidual, bool kPlain>
void all_columns(const RequantizeJob& job, T* y) {
  int64_t j = 0;
  for (; j + kVectors * kLanes <= job.columns; j += kVectors * kLanes) {
    Columns<T, kResidual, kPlain, kVectors, false>(job, j, kLanes).run(y);
  }
  if (j == job.columns) return;
  const int64_t last = job.columns % kLanes;
  if (last > 0) return last_columns<T, kResidual, kPlain, true>(job, j, last, y);
  last_columns<T, kResidual, kPlain, false>(job, j, kLanes, y);
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
