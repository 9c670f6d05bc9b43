#include "kernels/quantize.h"

#include "kernels/byte_vectors.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

template <class T>
inline constexpr float kLeast = float(T(-1) < 0 ? -128 : 0);

/// x where it is above the bound, else the bound, which NaN becomes, too.
inline F32 above(F32 x, F32 bound) {
#if defined(__aarch64__)
  return xsimd::select(x > bound, x, bound);
#else
  return xsimd::max(x, bound);
#endif
}

/// One scale and zero point per lane.
template <class T>
struct Grid {
  F32 scale, zero_point;

  /// The distances from the zero point to the least and the greatest byte.
  F32 least() const { return F32(kLeast<T>) - zero_point; }
  F32 greatest() const { return F32(kLeast<T> + 255.0f) - zero_point; }
};

/// The bounds are integers, so they may be applied before the quotient is rounded.
template <class T>
inline I32 divided(F32 x, const Grid<T>& grid) {
  const F32 bounded = xsimd::min(above(x / grid.scale, grid.least()), grid.greatest());
  return nearest(bounded) + xsimd::to_int(grid.zero_point);
}

/// Calls whole(i) for the first elements of whole vectors, and rest(i, count) for what is left.
template <class Whole, class Rest>
inline void for_vectors(int64_t n, const Whole& whole, const Rest& rest) {
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) whole(i);
  if (i < n) rest(i, size_t(n - i));
}

template <class T>
inline void divide_all(const float* x, T* y, int64_t n, const Grid<T>& grid) {
  for_vectors(
      n, [&](int64_t i) { narrow(divided(load(x + i), grid), y + i); },
      [&](int64_t i, size_t count) {
        T last[kLanes];
        narrow(divided(load_part(x + i, int64_t(count)), grid), last);
        std::memcpy(y + i, last, count);
      });
}

inline constexpr int kVectors = 4;  // of which bytes are stored together

/// Stores four vectors of quotients, none far above all bytes, as bytes. Returns false where one may be wrong, as it is
/// closer to the middle between two integers than 0.5 - `near_middle`, or fits no integer.
template <class T>
inline bool round_four(const F32 (&quotient)[kVectors], F32 near_middle, float zero_point, T* y) {
  I32 rounded[kVectors];
  F32 farthest(0.0f);
  LINNET_UNROLL
  for (int k = 0; k < kVectors; ++k) {
    rounded[k] = nearest(quotient[k]);
    // Of NaN, x86 takes the second, which is right there: NaN has become the least integer.
    farthest = xsimd::max(magnitude_of(quotient[k] - xsimd::to_float(rounded[k])), farthest);
  }
  narrow_four(rounded, int16_t(zero_point), y);
  return xsimd::all(farthest <= near_middle);
}

/// The same of fewer vectors, one by one, whatever the quotients.
template <class T>
inline bool round_few(const float* x, int64_t n, F32 factor, F32 near_middle, const Grid<T>& grid, T* y) {
  F32 farthest(0.0f);
  for (int64_t i = 0; i < n; i += kLanes) {
    const F32 quotient = xsimd::min(above(load(x + i) * factor, grid.least()), grid.greatest());
    const I32 rounded = nearest(quotient);
    narrow(rounded + xsimd::to_int(grid.zero_point), y + i);
    farthest = xsimd::max(magnitude_of(quotient - xsimd::to_float(rounded)), farthest);
  }
  return xsimd::all(farthest <= near_middle);
}

/// Quotients as products with the reciprocal, which are at most 2^-15 from x / scale where both lie within the bounds;
/// so they are rounded to the same integer but near the middle between two, where it is divided.
template <class T>
inline void quantize_run(const float* x, T* y, int64_t n, float scale, float zero_point) {
  const Grid<T> grid{F32(scale), F32(zero_point)};
  int64_t i = 0;
  if (scale > 0x1p-100f && scale < 0x1p100f) {
    const F32 factor(1.0f / scale), greatest = grid.greatest() * grid.scale, near_middle(0.5f - 0x1p-12f);
    for (; i + kVectors * kLanes <= n; i += kVectors * kLanes) {
      F32 quotient[kVectors];
      LINNET_UNROLL
      for (int k = 0; k < kVectors; ++k) quotient[k] = at_most(greatest, load(x + i + k * kLanes)) * factor;
      if (!round_four(quotient, near_middle, zero_point, y + i)) divide_all(x + i, y + i, kVectors * kLanes, grid);
    }
    const int64_t rest = (n - i) / kLanes * kLanes;
    if (round_few(x + i, rest, factor, near_middle, grid, y + i)) i += rest;
  }
  divide_all(x + i, y + i, n - i, grid);
}

template <class T>
void quantize(const float* x, void* y, int64_t n, float scale, float zero_point) {
  quantize_run(x, static_cast<T*>(y), n, scale, zero_point);
}

template <class T>
inline float zero_point_at(const void* zero_points, int64_t i) {
  return zero_points ? float(static_cast<const T*>(zero_points)[i]) : 0.0f;
}

/// Calls run(begin, n, block) for each block.
template <class Run>
inline void for_blocks(int64_t n, int64_t block, const Run& run) {
  int64_t begin = 0;
  for (int64_t i = 0; begin < n; ++i) {
    const int64_t count = n - begin < block ? n - begin : block;
    run(begin, count, i);
    begin += count;
  }
}

template <class T>
inline F32 zero_points_at(const void* zero_points, int64_t i) {
  return zero_points ? xsimd::to_float(widen(static_cast<const T*>(zero_points) + i)) : F32(0.0f);
}
template <class T>
inline F32 last_zero_points(const void* zero_points, int64_t i, size_t count) {
  T last[kLanes] = {};
  if (zero_points) std::memcpy(last, static_cast<const T*>(zero_points) + i, count);
  return xsimd::to_float(widen(last));
}

template <class T>
void quantize_each(const float* x, T* y, int64_t n, const float* scale, const void* zero_points) {
  for_vectors(
      n,
      [&](int64_t i) {
        narrow(divided(load(x + i), Grid<T>{load(scale + i), zero_points_at<T>(zero_points, i)}), y + i);
      },
      [&](int64_t i, size_t count) {
        T last[kLanes];
        const auto part = [&](const float* from) { return load_part(from + i, int64_t(count), 1.0f); };
        narrow(divided(part(x), Grid<T>{part(scale), last_zero_points<T>(zero_points, i, count)}), last);
        std::memcpy(y + i, last, count);
      });
}

template <class T>
void quantize_blocks(const float* x, void* to, int64_t n, int64_t block, const float* scale, const void* zero_points) {
  T* y = static_cast<T*>(to);
  if (block == 1) return quantize_each(x, y, n, scale, zero_points);
  for_blocks(n, block, [&](int64_t begin, int64_t count, int64_t i) {
    quantize_run(x + begin, y + begin, count, scale[i], zero_point_at<T>(zero_points, i));
  });
}

template <class T>
inline F32 dequantized(const T* x, const Grid<T>& grid) {
  return (xsimd::to_float(widen(x)) - grid.zero_point) * grid.scale;
}

template <class T>
inline void dequantize_run(const T* x, float* y, int64_t n, float scale, float zero_point) {
  const Grid<T> grid{F32(scale), F32(zero_point)};
  for_vectors(
      n, [&](int64_t i) { store(y + i, dequantized(x + i, grid)); },
      [&](int64_t i, size_t count) {
        T last[kLanes] = {};
        std::memcpy(last, x + i, count);
        store_part(y + i, dequantized(last, grid), int64_t(count));
      });
}

template <class T>
void dequantize(const void* x, float* y, int64_t n, float scale, float zero_point) {
  dequantize_run(static_cast<const T*>(x), y, n, scale, zero_point);
}

template <class T>
void dequantize_each(const T* x, float* y, int64_t n, const float* scale, const void* zero_points) {
  for_vectors(
      n,
      [&](int64_t i) {
        store(y + i, dequantized(x + i, Grid<T>{load(scale + i), zero_points_at<T>(zero_points, i)}));
      },
      [&](int64_t i, size_t count) {
        T last[kLanes] = {};
        std::memcpy(last, x + i, count);
        const Grid<T> grid{load_part(scale + i, int64_t(count)), last_zero_points<T>(zero_points, i, count)};
        store_part(y + i, dequantized(last, grid), int64_t(count));
      });
}

template <class T>
void dequantize_blocks(const void* from, float* y, int64_t n, int64_t block, const float* scale,
                       const void* zero_points) {
  const T* x = static_cast<const T*>(from);
  if (block == 1) return dequantize_each(x, y, n, scale, zero_points);
  for_blocks(n, block, [&](int64_t begin, int64_t count, int64_t i) {
    dequantize_run(x + begin, y + begin, count, scale[i], zero_point_at<T>(zero_points, i));
  });
}

// Integers above 8 bits: without branches, so that compilers make vectors of the loops.

/// Adding 1.5 * 2^23 leaves no bit for the fraction.
template <class T>
inline T wide_quantized(float x, float scale, float zero_point) {
  constexpr float kSmallest = T(-1) < 0 ? -32768.0f : 0.0f, kInteger = 0x1.8p23f;
  const float quotient = x / scale, least = kSmallest - zero_point, greatest = least + 65535.0f;
  const float above_least = quotient > least ? quotient : least;
  const float bounded = above_least < greatest ? above_least : greatest;
  return T(int32_t((bounded + kInteger) - kInteger + zero_point));
}

template <class T>
void quantize_wide(const float* __restrict x, void* to, int64_t n, float scale, float zero_point) {
  T* __restrict y = static_cast<T*>(to);
  for (int64_t i = 0; i < n; ++i) y[i] = wide_quantized<T>(x[i], scale, zero_point);
}

template <class T>
void quantize_wide_blocks(const float* __restrict x, void* to, int64_t n, int64_t block, const float* scale,
                          const void* zero_points) {
  T* __restrict y = static_cast<T*>(to);
  for_blocks(n, block, [&](int64_t begin, int64_t count, int64_t i) {
    quantize_wide<T>(x + begin, y + begin, count, scale[i], zero_point_at<T>(zero_points, i));
  });
}

template <class T>
void dequantize_wide(const void* from, float* __restrict y, int64_t n, float scale, float zero_point) {
  const T* __restrict x = static_cast<const T*>(from);
  const auto zero = double(zero_point);
  if (zero_point == 0) {
    for (int64_t i = 0; i < n; ++i) y[i] = float(x[i]) * scale;
  } else {
    for (int64_t i = 0; i < n; ++i) y[i] = float(double(x[i]) - zero) * scale;
  }
}

template <class T>
void dequantize_wide_blocks(const void* from, float* y, int64_t n, int64_t block, const float* scale,
                            const void* zero_points) {
  const T* x = static_cast<const T*>(from);
  for_blocks(n, block, [&](int64_t begin, int64_t count, int64_t i) {
    dequantize_wide<T>(x + begin, y + begin, count, scale[i], zero_point_at<T>(zero_points, i));
  });
}

inline float magnitude(float x) { return x < 0 ? -x : x; }

/// What is computed from two bytes, in floats as it is defined and, in steps of y, nearly: `error` is the most by which
/// both differ.
template <class T>
struct Pair {
  Grid<T> a, b, y;
};

template <class T>
struct Sum : Pair<T> {
  F32 a_factor, b_factor, shift;
  float error;

  Sum(const Pair<T>& grids, const BytePair& p) : Pair<T>(grids) {
    const float of_a = p.a_scale / p.y_scale, of_b = p.b_scale / p.y_scale;
    a_factor = F32(of_a);
    b_factor = F32(of_b);
    shift = F32(float(-double(of_a) * double(p.a_zero_point) - double(of_b) * double(p.b_zero_point)));
    // Roundings of parts of the largest sum: at most twelve times 2^-24 of it.
    error = 255.0f * (magnitude(of_a) + magnitude(of_b)) * 0x1p-20f;
  }
  F32 near(F32 from_a, F32 from_b) const { return xsimd::fma(from_a, a_factor, xsimd::fma(from_b, b_factor, shift)); }
  static F32 exact(F32 x, F32 with) { return x + with; }
};

template <class T>
struct Product : Pair<T> {
  F32 factor;
  float error;

  Product(const Pair<T>& grids, const BytePair& p) : Pair<T>(grids) {
    const float of_both = p.a_scale / p.y_scale * p.b_scale;
    factor = F32(of_both);
    error = 65025.0f * magnitude(of_both) * 0x1p-20f;
  }
  F32 near(F32 from_a, F32 from_b) const {
    return (from_a - this->a.zero_point) * (from_b - this->b.zero_point) * factor;
  }
  static F32 exact(F32 x, F32 with) { return x * with; }
};

template <class Operation, class T>
inline I32 exactly(const Operation& f, const T* a, const T* b) {
  return divided(Operation::exact(dequantized(a, f.a), dequantized(b, f.b)), f.y);
}

template <class Operation, class T>
inline void compute_exactly(const Operation& f, const T* a, const T* b, T* y, int64_t n) {
  for_vectors(
      n, [&](int64_t i) { narrow(exactly(f, a + i, b + i), y + i); },
      [&](int64_t i, size_t count) {
        T last_a[kLanes] = {}, last_b[kLanes] = {}, last_y[kLanes];
        std::memcpy(last_a, a + i, count);
        std::memcpy(last_b, b + i, count);
        narrow(exactly(f, last_a, last_b), last_y);
        std::memcpy(y + i, last_y, count);
      });
}

inline bool is_moderate(float scale) { return magnitude(scale) > 0x1p-40f && magnitude(scale) < 0x1p40f; }

/// Like quantize(): as defined only where that may give another integer.
template <template <class> class Operation, class T>
void compute(const void* from_a, const void* from_b, void* to, int64_t n, const BytePair& p) {
  const T *a = static_cast<const T*>(from_a), *b = static_cast<const T*>(from_b);
  T* y = static_cast<T*>(to);
  const Operation<T> f({{F32(p.a_scale), F32(p.a_zero_point)},
                        {F32(p.b_scale), F32(p.b_zero_point)},
                        {F32(p.y_scale), F32(p.y_zero_point)}},
                       p);
  int64_t i = 0;
  if (is_moderate(p.a_scale) && is_moderate(p.b_scale) && is_moderate(p.y_scale) && f.error < 0.25f) {
    const F32 near_middle(0.5f - f.error);
    for (; i + kVectors * kLanes <= n; i += kVectors * kLanes) {
      F32 near[kVectors];
      LINNET_UNROLL
      for (int k = 0; k < kVectors; ++k) {
        const int64_t at = i + k * kLanes;
        near[k] = f.near(xsimd::to_float(widen(a + at)), xsimd::to_float(widen(b + at)));
      }
      T bytes[kVectors * kLanes];  // y may be a or b
      if (round_four(near, near_middle, p.y_zero_point, bytes)) {
        std::memcpy(y + i, bytes, sizeof bytes);
      } else {
        compute_exactly(f, a + i, b + i, y + i, kVectors * kLanes);
      }
    }
  }
  compute_exactly(f, a + i, b + i, y + i, n - i);
}

inline F32 lesser(F32 x, F32 least) { return xsimd::select(x < least, x, least); }
inline F32 greater(F32 x, F32 greatest) { return xsimd::select(x > greatest, x, greatest); }

void extend_range(const float* x, int64_t n, FloatRange* range) {
  F32 least[kVectors], greatest[kVectors];
  for (int k = 0; k < kVectors; ++k) {
    least[k] = F32(range->least);
    greatest[k] = F32(range->greatest);
  }
  int64_t i = 0;
  for (; i + kVectors * kLanes <= n; i += kVectors * kLanes) {
    LINNET_UNROLL
    for (int k = 0; k < kVectors; ++k) {
      const F32 v = load(x + i + k * kLanes);
      least[k] = lesser(v, least[k]);
      greatest[k] = greater(v, greatest[k]);
    }
  }
  for (; i < n; i += kLanes) {
    const F32 v = i + kLanes <= n ? load(x + i) : load_part(x + i, n - i, range->least);
    least[0] = lesser(v, least[0]);
    greatest[0] = greater(v, greatest[0]);
  }
  range->least = min_lanes(lesser(lesser(least[0], least[1]), lesser(least[2], least[3])));
  range->greatest = max_lanes(greater(greater(greatest[0], greatest[1]), greater(greatest[2], greatest[3])));
}

#if defined(__AVX2__)
#if defined(__AVX512F__)
using Bytes = __m512i;
inline Bytes load_bytes(const void* x) { return _mm512_loadu_si512(x); }
inline void store_bytes(void* y, Bytes v) { _mm512_storeu_si512(y, v); }
inline Bytes four_times(__m128i v) { return _mm512_broadcast_i32x4(v); }
inline Bytes all(int v) { return _mm512_set1_epi8(char(v)); }
inline Bytes subtract_saturated(Bytes a, Bytes b) { return _mm512_subs_epi8(a, b); }
inline Bytes exclusive_or(Bytes a, Bytes b) { return _mm512_xor_si512(a, b); }
inline Bytes shuffle(Bytes table, Bytes x) { return _mm512_shuffle_epi8(table, x); }
#else
using Bytes = __m256i;
inline Bytes load_bytes(const void* x) { return _mm256_loadu_si256(static_cast<const __m256i*>(x)); }
inline void store_bytes(void* y, Bytes v) { _mm256_storeu_si256(static_cast<__m256i*>(y), v); }
inline Bytes four_times(__m128i v) { return _mm256_broadcastsi128_si256(v); }
inline Bytes all(int v) { return _mm256_set1_epi8(char(v)); }
inline Bytes subtract_saturated(Bytes a, Bytes b) { return _mm256_subs_epi8(a, b); }
inline Bytes exclusive_or(Bytes a, Bytes b) { return _mm256_xor_si256(a, b); }
inline Bytes shuffle(Bytes table, Bytes x) { return _mm256_shuffle_epi8(table, x); }
#endif
inline constexpr int64_t kTableBytes = sizeof(Bytes);

/// Two halves of 128 bytes in parts of 16. A shuffle gives 0 for indices that are negative as signed bytes. Of a part,
/// that is less its beginning, so that those of all parts up to an index are joined: each holds the difference to the
/// one before.
struct Table {
  Bytes part[16];

  explicit Table(const uint8_t* table) {
    for (int k = 0; k < 16; ++k) {
      const auto* from = reinterpret_cast<const __m128i*>(table) + k;
      const __m128i own = _mm_loadu_si128(from);
      part[k] = four_times(k % 8 == 0 ? own : _mm_xor_si128(own, _mm_loadu_si128(from - 1)));
    }
  }
  Bytes operator()(Bytes x) const {
    const Bytes upper = exclusive_or(x, all(0x80));
    Bytes y = exclusive_or(shuffle(part[0], x), shuffle(part[8], upper));
    LINNET_UNROLL
    for (int k = 1; k < 8; ++k) {
      const Bytes begin = all(16 * k);
      y = exclusive_or(y, shuffle(part[k], subtract_saturated(x, begin)));
      y = exclusive_or(y, shuffle(part[8 + k], subtract_saturated(upper, begin)));
    }
    return y;
  }
};
#elif defined(__aarch64__)
using Bytes = uint8x16_t;
inline Bytes load_bytes(const uint8_t* x) { return vld1q_u8(x); }
inline void store_bytes(uint8_t* y, Bytes v) { vst1q_u8(y, v); }
inline constexpr int64_t kTableBytes = sizeof(Bytes);

struct Table {
  uint8x16x4_t part[4];

  explicit Table(const uint8_t* table) {
    for (int k = 0; k < 4; ++k) part[k] = vld1q_u8_x4(table + 64 * k);
  }
  Bytes operator()(Bytes x) const {
    Bytes y = vqtbl4q_u8(part[0], x);
    LINNET_UNROLL
    for (int k = 1; k < 4; ++k) y = vqtbx4q_u8(y, part[k], vsubq_u8(x, vdupq_n_u8(uint8_t(64 * k))));
    return y;
  }
};
#endif

void look_up(const uint8_t* x, const uint8_t* table, uint8_t* y, int64_t n) {
  int64_t i = 0;
#if defined(__AVX2__) || defined(__aarch64__)
  if (n >= 4 * kTableBytes) {
    const Table vectors(table);
    for (; i + kTableBytes <= n; i += kTableBytes) store_bytes(y + i, vectors(load_bytes(x + i)));
  }
#endif
  for (; i < n; ++i) y[i] = table[x[i]];
}

#if defined(__AVX512F__)
inline Bytes no_bytes() { return _mm512_setzero_si512(); }
inline Bytes add_sums(Bytes sums, Bytes x) { return _mm512_add_epi64(sums, _mm512_sad_epu8(x, no_bytes())); }
#elif defined(__AVX2__)
inline Bytes no_bytes() { return _mm256_setzero_si256(); }
inline Bytes add_sums(Bytes sums, Bytes x) { return _mm256_add_epi64(sums, _mm256_sad_epu8(x, no_bytes())); }
#endif

int32_t sum_of(const uint8_t* x, int64_t n) {
  int64_t i = 0;
  int32_t sum = 0;
#if defined(__AVX2__)
  Bytes sums = no_bytes();
  for (; i + kTableBytes <= n; i += kTableBytes) sums = add_sums(sums, load_bytes(x + i));
  alignas(64) int64_t parts[kTableBytes / 8];
  store_bytes(parts, sums);
  for (const int64_t part : parts) sum += int32_t(part);
#elif defined(__aarch64__)
  uint32x4_t sums = vdupq_n_u32(0);
  for (; i + kTableBytes <= n; i += kTableBytes) sums = vpadalq_u16(sums, vpaddlq_u8(load_bytes(x + i)));
  sum = int32_t(vaddvq_u32(sums));
#endif
  for (; i < n; ++i) sum += x[i];
  return sum;
}

void sum_rows(const uint8_t* x, int64_t rows, int64_t n, int32_t* sums) {
  for (int64_t i = 0; i < rows; ++i) sums[i] = sum_of(x + i * n, n);
}

/// kCount values.
template <int kCount>
[[gnu::always_inline]] inline void widen_vector(const uint8_t* x, uint8_t flip, uint16_t less, int16_t* y) {
  using Wide = typename VectorOf<uint16_t, kCount>::Type;
  typename VectorOf<uint8_t, kCount>::Type bytes;
  std::memcpy(&bytes, x, sizeof bytes);
  const Wide words = (__builtin_convertvector(bytes, Wide) ^ uint16_t(flip)) - less;
  std::memcpy(y, &words, sizeof words);
}

/// n >= kCount values; the last vector begins where it ends with them.
template <int kCount>
void widen_vectors(const uint8_t* x, int64_t n, uint8_t flip, uint16_t less, int16_t* y) {
  for (int64_t i = 0; i + kCount <= n; i += kCount) widen_vector<kCount>(x + i, flip, less, y + i);
  if (n % kCount > 0) widen_vector<kCount>(x + n - kCount, flip, less, y + n - kCount);
}

void widen_less(const uint8_t* x, int64_t n, uint8_t flip, int16_t zero, int16_t* y) {
  constexpr int kWide = 2 * kLanes, kShort = 8;
  const auto less = uint16_t(zero);
  if (n >= kWide) return widen_vectors<kWide>(x, n, flip, less, y);
  if (n >= kShort) return widen_vectors<kShort>(x, n, flip, less, y);
  for (int64_t i = 0; i < n; ++i) y[i] = int16_t(uint16_t(uint16_t(x[i] ^ flip) - less));
}

template <class T>
constexpr ByteKernels kBytes{
    {quantize<T>, dequantize<T>, quantize_blocks<T>, dequantize_blocks<T>}, compute<Sum, T>, compute<Product, T>};
template <class T>
constexpr GridKernels kWords{quantize_wide<T>, dequantize_wide<T>, quantize_wide_blocks<T>, dequantize_wide_blocks<T>};

}  // namespace

void fill(QuantizeKernels& kernels);
void fill(QuantizeKernels& kernels) {
  kernels.u8 = kBytes<uint8_t>;
  kernels.s8 = kBytes<int8_t>;
  kernels.u16 = kWords<uint16_t>;
  kernels.s16 = kWords<int16_t>;
  kernels.s32 = {nullptr, dequantize_wide<int32_t>, nullptr, dequantize_wide_blocks<int32_t>};
  kernels.extend_range = extend_range;
  kernels.look_up = look_up;
  kernels.sum_rows = sum_rows;
  kernels.widen = widen_less;
}

}  // namespace linnet::LINNET_SIMD_NS
