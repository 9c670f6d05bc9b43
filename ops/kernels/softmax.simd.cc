#include "kernels/softmax.h"

#include "kernels/vector_math.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

constexpr float kLowest = -__builtin_inff();

inline float row_max(const float* x, int64_t n) {
  F32 first(kLowest), second(kLowest);
  int64_t i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    first = xsimd::max(first, load(x + i));
    second = xsimd::max(second, load(x + i + kLanes));
  }
  for (; i < n; i += kLanes) {
    first = xsimd::max(first, i + kLanes <= n ? load(x + i) : load_part(x + i, n - i, kLowest));
  }
  // NaN need not win here: its own power is NaN.
  return join_lanes(xsimd::max(first, second), [](auto a, auto b) { return a > b ? a : b; });
}

/// Returns e^x for x <= 88, and 0 below the smallest normal number, which is negligible compared to e^0. NaN is
/// preserved.
inline F32 normal_power(F32 x) {
#ifdef __AVX512F__
  // Masked lanes cannot become subnormal, which costs a hundred cycles and more on Intel's processors.
  const ExpArgument a = reduce_exp(x);
  return _mm512_maskz_scalef_ps(_mm512_cmp_ps_mask(x, F32(-87.0f), _CMP_NLT_UQ), exp_of_reduced(a.r), a.n);
#else
  const ExpArgument a = reduce_exp(at_least(F32(-87.0f), x));
  const F32 p = exp_of_reduced(a.r) * float_of((bits_of(a.shifted) << 23) + I32(0x3f800000));
  return xsimd::select(x < F32(-87.0f), F32(0.0f), p);
#endif
}

/// normal_power(). With kBounded x may be large, and the result is then any large number.
template <bool kBounded>
inline F32 power(F32 x) {
  return normal_power(kBounded ? xsimd::min(F32(88.0f), x) : x);
}

/// Prefetches two vectors at position i of the row after this one, so that memory responds while powers are computed.
/// Rows that are written are read first, too.
inline void prefetch_next(const float* x, int64_t n, int64_t i) {
  __builtin_prefetch(x + n + i);
  __builtin_prefetch(x + n + i + kLanes);
}

/// Returns the sum of e^(x - max); with kStore writes the powers to y. kBounded: some x may be greater than max. Where
/// each power is added depends on its position alone, so trailing powers of 0, which a mask hides, change nothing.
template <bool kStore, bool kBounded = false>
inline float sum_of_powers(const float* x, float* y, int64_t n, float max) {
  const F32 m(max);
  F32 first(0.0f), second(0.0f);
  int64_t i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    prefetch_next(x, n, i);
    if (kStore) prefetch_next(y, n, i);
    const F32 e0 = power<kBounded>(load(x + i) - m), e1 = power<kBounded>(load(x + i + kLanes) - m);
    first += e0;
    second += e1;
    if (kStore) store(y + i, e0), store(y + i + kLanes, e1);
  }
  for (F32* sum = &first; i < n; i += kLanes, sum = &second) {
    const bool whole = i + kLanes <= n;
    const F32 e = power<kBounded>((whole ? load(x + i) : load_part(x + i, n - i, kLowest)) - m);
    *sum += e;
    if (kStore) whole ? store(y + i, e) : store_part(y + i, e, n - i);
  }
  return sum_lanes(first + second);
}

inline void scale_row(float* y, int64_t n, float factor) {
  const F32 f(factor);
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(y + i, load(y + i) * f);
  if (i < n) store_part(y + i, load_part(y + i, n - i) * f, n - i);
}

/// Computes y = (x - max) - log_sum in this order, so that values close to 0 stay exact.
inline void subtract_row(const float* x, float* y, int64_t n, float max, float log_sum) {
  const F32 m(max), s(log_sum);
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(y + i, load(x + i) - m - s);
  if (i < n) store_part(y + i, load_part(x + i, n - i) - m - s, n - i);
}

inline float log_of(float x) {
  float lanes[kLanes];
  store(lanes, log(F32(x)));
  return lanes[0];
}

inline void softmax_row(const float* x, float* y, int64_t n) {
  const float sum = sum_of_powers<true>(x, y, n, row_max(x, n));
  scale_row(y, n, 1.0f / sum);
}

/// Up to kLanes adjacent columns of an array.
struct ColumnStrip {
  int64_t pitch;
  int64_t width;

  F32 read(const float* x, int64_t row) const {
    return width == kLanes ? load(x + row * pitch) : load_part(x + row * pitch, width);
  }
  void write(float* y, int64_t row, F32 v) const {
    width == kLanes ? store(y + row * pitch, v) : store_part(y + row * pitch, v, width);
  }
};

template <bool kLog>
inline void softmax_strip(const float* x, float* y, int64_t n, const ColumnStrip& strip) {
  F32 max(kLowest), sum(0.0f);
  for (int64_t i = 0; i < n; ++i) max = xsimd::max(max, strip.read(x, i));
  for (int64_t i = 0; i < n; ++i) {
    const F32 e = normal_power(strip.read(x, i) - max);
    sum += e;
    if (!kLog) strip.write(y, i, e);
  }
  const F32 last = kLog ? log(sum) : F32(1.0f) / sum;
  for (int64_t i = 0; i < n; ++i) strip.write(y, i, kLog ? strip.read(x, i) - max - last : strip.read(y, i) * last);
}

template <bool kLog>
void softmax_columns(const float* x, float* y, int64_t n, int64_t pitch, int64_t columns) {
  for (int64_t c = 0; c < columns; c += kLanes) {
    const int64_t width = columns - c < kLanes ? columns - c : kLanes;
    softmax_strip<kLog>(x + c, y + c, n, {pitch, width});
  }
}

/// Rows of at most this many values are computed kLanes at a time, as columns. The choice depends on the length alone,
/// so that a row's bits do not depend on the number of rows.
constexpr int64_t kShortRow = kLanes;

/// Computes the softmax of n values at x[i * kLanes] for kLanes rows at a time, in the order of sum_lanes().
template <bool kLog>
inline void softmax_of_short(float* x, int64_t n) {
  F32 value[kShortRow], max(kLowest);
  for (int64_t i = 0; i < n; ++i) max = xsimd::max(max, value[i] = load(x + i * kLanes));
  F32 sums[kShortRow];
  for (int64_t i = 0; i < n; ++i) {
    sums[i] = normal_power(value[i] - max);
    if (!kLog) store(x + i * kLanes, sums[i]);
  }
  for (int64_t half = kShortRow / 2; half > 0; half /= 2) {
    for (int64_t i = 0; i < half && i + half < n; ++i) sums[i] += sums[i + half];
  }
  const F32 last = kLog ? log(sums[0]) : F32(1.0f) / sums[0];
  for (int64_t i = 0; i < n; ++i) store(x + i * kLanes, kLog ? value[i] - max - last : load(x + i * kLanes) * last);
}

template <bool kLog>
void short_rows(const float* x, float* y, int64_t rows, int64_t n, int64_t pitch) {
  float turned[kShortRow * kLanes] = {};
  for (int64_t r = 0; r < rows; r += kLanes, x += kLanes * pitch, y += kLanes * pitch) {
    const int64_t count = rows - r < kLanes ? rows - r : kLanes;
    for (int64_t k = 0; k < count; ++k) {
      for (int64_t i = 0; i < n; ++i) turned[i * kLanes + k] = x[k * pitch + i];
    }
    softmax_of_short<kLog>(turned, n);
    for (int64_t k = 0; k < count; ++k) {
      for (int64_t i = 0; i < n; ++i) y[k * pitch + i] = turned[i * kLanes + k];
    }
  }
}

void softmax_rows(const float* x, float* y, int64_t rows, int64_t n) {
  if (n <= kShortRow) return short_rows<false>(x, y, rows, n, n);
  for (int64_t r = 0; r < rows; ++r, x += n, y += n) softmax_row(x, y, n);
}

void softmax_pitched_rows(float* x, int64_t rows, int64_t n, int64_t pitch) {
  if (n <= kShortRow) return short_rows<false>(x, x, rows, n, pitch);
  for (int64_t r = 0; r < rows; ++r, x += pitch) softmax_row(x, x, n);
}

void log_softmax_rows(const float* x, float* y, int64_t rows, int64_t n) {
  if (n <= kShortRow) return short_rows<true>(x, y, rows, n, n);
  for (int64_t r = 0; r < rows; ++r, x += n, y += n) {
    const float max = row_max(x, n);
    subtract_row(x, y, n, max, log_of(sum_of_powers<false>(x, y, n, max)));
  }
}

/// Returns the value that is subtracted from the exponents: the maximum where it is finite, else 0.
inline F32 finite_or_zero(F32 x) { return xsimd::select(magnitude_of(x) < F32(__builtin_inff()), x, F32(0.0f)); }

float log_sum_exp_row(const float* x, int64_t n) {
  const float max = row_max(x, n);
  float lanes[kLanes];
  store(lanes, finite_or_zero(F32(max)));
  return log_of(sum_of_powers<false, true>(x, nullptr, n, lanes[0])) + max;
}

void log_sum_exp_columns(const float* x, float* y, int64_t n, int64_t pitch, int64_t columns) {
  for (int64_t c = 0; c < columns; c += kLanes) {
    const ColumnStrip strip{pitch, columns - c < kLanes ? columns - c : kLanes};
    F32 max(kLowest), sum(0.0f);
    for (int64_t i = 0; i < n; ++i) max = xsimd::max(max, strip.read(x + c, i));
    const F32 finite = finite_or_zero(max);
    for (int64_t i = 0; i < n; ++i) sum += power<true>(strip.read(x + c, i) - finite);
    strip.write(y + c, 0, log(sum) + max);
  }
}

}  // namespace

void fill(SoftmaxKernels& k);

void fill(SoftmaxKernels& k) {
  k.rows = softmax_rows;
  k.pitched_rows = softmax_pitched_rows;
  k.log_rows = log_softmax_rows;
  k.columns = softmax_columns<false>;
  k.log_columns = softmax_columns<true>;
  k.log_sum_exp_row = log_sum_exp_row;
  k.log_sum_exp_columns = log_sum_exp_columns;
}

}  // namespace linnet::LINNET_SIMD_NS
