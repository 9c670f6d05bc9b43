#include "kernels/pool.h"

#include <cstring>

#include "kernels/byte_vectors.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

template <class T>
struct TapRows {
  const T* const* taps;
  const T* operator()(int64_t t) const { return taps[t]; }
};
template <class T>
struct PitchedRows {
  const T* x;
  int64_t pitch;
  const T* operator()(int64_t t) const { return x + t * pitch; }
};

template <int kVectors, class Rows>
inline void max_strip(const Rows& rows, int64_t count, int64_t i, float* y) {
  F32 best[kVectors];
#pragma GCC unroll 4
  for (int k = 0; k < kVectors; ++k) best[k] = load(rows(0) + i + k * kLanes);
  for (int64_t t = 1; t < count; ++t) {
#pragma GCC unroll 4
    for (int k = 0; k < kVectors; ++k) best[k] = max_nan(load(rows(t) + i + k * kLanes), best[k]);
  }
#pragma GCC unroll 4
  for (int k = 0; k < kVectors; ++k) store(y + i + k * kLanes, best[k]);
}

/// Long sums are taken in blocks, so that the rounding error grows only with the number of blocks and their length.
constexpr int64_t kSumBlock = 64;

template <int kVectors, class Rows>
inline void mean_strip(const Rows& rows, int64_t count, float divisor, int64_t i, float* y) {
  F32 total[kVectors];
#pragma GCC unroll 4
  for (int k = 0; k < kVectors; ++k) total[k] = F32(0.0f);
  for (int64_t begin = 0; begin < count; begin += kSumBlock) {
    const int64_t end = begin + kSumBlock < count ? begin + kSumBlock : count;
    F32 sum[kVectors];
#pragma GCC unroll 4
    for (int k = 0; k < kVectors; ++k) sum[k] = load(rows(begin) + i + k * kLanes);
    for (int64_t t = begin + 1; t < end; ++t) {
#pragma GCC unroll 4
      for (int k = 0; k < kVectors; ++k) sum[k] += load(rows(t) + i + k * kLanes);
    }
#pragma GCC unroll 4
    for (int k = 0; k < kVectors; ++k) total[k] += sum[k];
  }
#pragma GCC unroll 4
  for (int k = 0; k < kVectors; ++k) store(y + i + k * kLanes, total[k] / F32(divisor));
}

template <int kVectors>
inline void weighted_strip(const TapRows<float>& rows, const float* weights, int64_t count, int64_t i, float* y) {
  F32 sum[kVectors];
#pragma GCC unroll 4
  for (int k = 0; k < kVectors; ++k) sum[k] = F32(weights[0]) * load(rows(0) + i + k * kLanes);
  for (int64_t t = 1; t < count; ++t) {
    const F32 weight(weights[t]);
#pragma GCC unroll 4
    for (int k = 0; k < kVectors; ++k) sum[k] = xsimd::fma(weight, load(rows(t) + i + k * kLanes), sum[k]);
  }
#pragma GCC unroll 4
  for (int k = 0; k < kVectors; ++k) store(y + i + k * kLanes, sum[k]);
}

template <class Rows>
inline void max_part(const Rows& rows, int64_t count, int64_t n, float* y) {
  F32 best = load_part(rows(0), n);
  for (int64_t t = 1; t < count; ++t) best = max_nan(load_part(rows(t), n), best);
  store_part(y, best, n);
}

template <class Rows>
inline void mean_part(const Rows& rows, int64_t count, float divisor, int64_t n, float* y) {
  F32 total(0.0f);
  for (int64_t begin = 0; begin < count; begin += kSumBlock) {
    const int64_t end = begin + kSumBlock < count ? begin + kSumBlock : count;
    F32 sum = load_part(rows(begin), n);
    for (int64_t t = begin + 1; t < end; ++t) sum += load_part(rows(t), n);
    total += sum;
  }
  store_part(y, total / F32(divisor), n);
}

/// Covers [0, n) with calls of four(i) and one(i). The last vector overlaps the one before it. part() covers less than
/// a vector.
template <class Four, class One, class Part>
inline void for_strips(int64_t n, const Four& four, const One& one, const Part& part) {
  if (n < kLanes) return part();
  int64_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) four(i);
  for (; i + kLanes <= n; i += kLanes) one(i);
  if (i < n) one(n - kLanes);
}

template <class Rows>
void max_of(const Rows& rows, int64_t count, int64_t n, float* y) {
  for_strips(
      n, [&](int64_t i) { max_strip<4>(rows, count, i, y); }, [&](int64_t i) { max_strip<1>(rows, count, i, y); },
      [&] { max_part(rows, count, n, y); });
}

template <class Rows>
void mean_of(const Rows& rows, int64_t count, float divisor, int64_t n, float* y) {
  for_strips(
      n, [&](int64_t i) { mean_strip<4>(rows, count, divisor, i, y); },
      [&](int64_t i) { mean_strip<1>(rows, count, divisor, i, y); }, [&] { mean_part(rows, count, divisor, n, y); });
}

void mean_f32(const float* const* taps, int64_t num_taps, float divisor, int64_t n, float* y) {
  mean_of(TapRows<float>{taps}, num_taps, divisor, n, y);
}
void weighted_f32(const float* const* taps, const float* weights, int64_t num_taps, int64_t n, float* y) {
  const TapRows<float> rows{taps};
  for_strips(
      n, [&](int64_t i) { weighted_strip<4>(rows, weights, num_taps, i, y); },
      [&](int64_t i) { weighted_strip<1>(rows, weights, num_taps, i, y); },
      [&] {
        F32 sum = F32(weights[0]) * load_part(taps[0], n);
        for (int64_t t = 1; t < num_taps; ++t) sum = xsimd::fma(F32(weights[t]), load_part(taps[t], n), sum);
        store_part(y, sum, n);
      });
}

F32 gathered(const float* x, const int32_t* index) {
#if defined(__AVX512F__)
  return _mm512_i32gather_ps(_mm512_loadu_si512(index), x, sizeof(float));
#elif defined(__AVX2__)
  return _mm256_i32gather_ps(x, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(index)), sizeof(float));
#else
  float values[kLanes];
  LINNET_UNROLL for (int i = 0; i < kLanes; ++i) values[i] = x[index[i]];
  return load(values);
#endif
}

void pairs_f32(const float* x, const int32_t* const* index, const float* const* weights, int64_t n, float* y) {
  static_assert(PoolKernels::kPairBlock % kLanes == 0);
  for (int64_t i = 0; i < n; i += kLanes) {
    const F32 first = load(weights[0] + i) * gathered(x, index[0] + i);
    const F32 sum = xsimd::fma(load(weights[1] + i), gathered(x, index[1] + i), first);
    n - i >= kLanes ? store(y + i, sum) : store_part(y + i, sum, n - i);
  }
}

void mean_rows_f32(const float* x, int64_t num_rows, int64_t pitch, float divisor, int64_t n, float* y) {
  mean_of(PitchedRows<float>{x, pitch}, num_rows, divisor, n, y);
}

constexpr int kParts = 4;

float sum_f32(const float* x, int64_t n) {
  F32 part[kParts] = {F32(0.0f), F32(0.0f), F32(0.0f), F32(0.0f)};
  int64_t i = 0;
  for (; i + kParts * kLanes <= n; i += kParts * kLanes) {
#pragma GCC unroll 4
    for (int k = 0; k < kParts; ++k) part[k] += load(x + i + k * kLanes);
  }
  for (; i + kLanes <= n; i += kLanes) part[0] += load(x + i);
  if (i < n) part[1] += load_part(x + i, n - i);
  return sum_lanes((part[0] + part[1]) + (part[2] + part[3]));
}

float max_of_line(const float* x, int64_t n) {
  if (n < kLanes) {
    F32 best(x[0]);
    for (int64_t i = 1; i < n; ++i) best = max_nan(F32(x[i]), best);
    return max_lanes(best);
  }
  F32 best = load(x);
  for (int64_t i = kLanes; i + kLanes <= n; i += kLanes) best = max_nan(load(x + i), best);
  return max_lanes(max_nan(load(x + n - kLanes), best));
}

template <int kBytes, class Rows, class T>
inline void byte_max_strip(const Rows& rows, int64_t count, int64_t i, T* y) {
  typename VectorOf<T, kBytes>::Type best, x;
  std::memcpy(&best, rows(0) + i, kBytes);
  for (int64_t t = 1; t < count; ++t) {
    std::memcpy(&x, rows(t) + i, kBytes);
    best = x > best ? x : best;
  }
  std::memcpy(y + i, &best, kBytes);
}

/// Uses the widest vectors that n values fill. The last vector ends at the last value and may overlap the one before
/// it.
template <int kBytes, class Rows, class T>
void max_of_bytes(const Rows& rows, int64_t count, int64_t n, T* y) {
  if (n >= kBytes) {
    for (int64_t i = 0; i + kBytes <= n; i += kBytes) byte_max_strip<kBytes>(rows, count, i, y);
    if (n % kBytes > 0) byte_max_strip<kBytes>(rows, count, n - kBytes, y);
  } else if constexpr (kBytes > 1) {
    max_of_bytes<kBytes / 2>(rows, count, n, y);
  }
}
template <class Rows>
void max_of(const Rows& rows, int64_t count, int64_t n, uint8_t* y) {
  max_of_bytes<4 * kLanes>(rows, count, n, y);
}
template <class Rows>
void max_of(const Rows& rows, int64_t count, int64_t n, int8_t* y) {
  max_of_bytes<4 * kLanes>(rows, count, n, y);
}

template <class T>
T max_of_line(const T* x, int64_t n) {
  T best = x[0];
  for (int64_t i = 1; i < n; ++i) best = x[i] > best ? x[i] : best;
  return best;
}

/// Computes (sum - offset) * factor.
struct Affine {
  int32_t offset;
  float factor;
  F32 operator()(I32 sum) const { return xsimd::to_float(sum - I32(offset)) * F32(factor); }
};

template <int kVectors, class Rows>
inline void byte_mean_strip(const Rows& rows, int64_t count, const Affine& affine, int64_t i, float* y) {
  I32 sum[kVectors];
#pragma GCC unroll 4
  for (int k = 0; k < kVectors; ++k) sum[k] = I32(0);
  for (int64_t t = 0; t < count; ++t) {
#pragma GCC unroll 4
    for (int k = 0; k < kVectors; ++k) sum[k] += widen(rows(t) + i + k * kLanes);
  }
#pragma GCC unroll 4
  for (int k = 0; k < kVectors; ++k) store(y + i + k * kLanes, affine(sum[k]));
}

template <class Rows>
inline void byte_mean_part(const Rows& rows, int64_t count, const Affine& affine, int64_t n, float* y) {
  for (int64_t i = 0; i < n; ++i) {
    int32_t sum = 0;
    for (int64_t t = 0; t < count; ++t) sum += rows(t)[i];
    y[i] = float(sum - affine.offset) * affine.factor;
  }
}

template <class Rows>
void mean_of_bytes(const Rows& rows, int64_t count, int64_t n, const Affine& affine, float* y) {
  for_strips(
      n, [&](int64_t i) { byte_mean_strip<4>(rows, count, affine, i, y); },
      [&](int64_t i) { byte_mean_strip<1>(rows, count, affine, i, y); },
      [&] { byte_mean_part(rows, count, affine, n, y); });
}

template <class T>
constexpr MaxKernels<T> kMax{
    [](const T* const* taps, int64_t count, int64_t n, T* y) { max_of(TapRows<T>{taps}, count, n, y); },
    [](const T* x, int64_t count, int64_t pitch, int64_t n, T* y) {
      max_of(PitchedRows<T>{x, pitch}, count, n, y);
    },
    [](const T* x, int64_t n) { return max_of_line(x, n); }};

template <class T>
constexpr ByteMeanKernels<T> kByteMean{
    [](const T* const* taps, int64_t count, int64_t n, int32_t offset, float factor, float* y) {
      mean_of_bytes(TapRows<T>{taps}, count, n, {offset, factor}, y);
    },
    [](const T* x, int64_t count, int64_t pitch, int64_t n, int32_t offset, float factor, float* y) {
      mean_of_bytes(PitchedRows<T>{x, pitch}, count, n, {offset, factor}, y);
    }};

}  // namespace

void fill(PoolKernels& kernels);
void fill(PoolKernels& kernels) {
  kernels.max_f32 = kMax<float>;
  kernels.max_u8 = kMax<uint8_t>;
  kernels.max_s8 = kMax<int8_t>;
  kernels.mean_u8 = kByteMean<uint8_t>;
  kernels.mean_s8 = kByteMean<int8_t>;
  kernels.mean_f32 = mean_f32;
  kernels.weighted_f32 = weighted_f32;
  kernels.pairs_f32 = pairs_f32;
  kernels.mean_rows_f32 = mean_rows_f32;
  kernels.sum_f32 = sum_f32;
}

}  // namespace linnet::LINNET_SIMD_NS
