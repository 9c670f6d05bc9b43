#include "kernels/quantize.h"

#include "kernels/byte_vectors.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

constexpr int32_t kRoundMagicBits = 0x4b400000;

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
  return bits_of(bounded + F32(kRoundMagic)) - I32(kRoundMagicBits) + xsimd::to_int(grid.zero_point);
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

/// Quotients as products with the reciprocal, which are at most 2^-15 from x / scale where both lie within the bounds;
/// so they are rounded to the same integer but near the middle between two, where it is divided.
template <class T>
void quantize(const float* x, void* to, int64_t n, float scale, float zero_point) {
  constexpr int kVectors = 4;
  constexpr float kNearMiddle = 0.5f - 0x1p-12f;
  T* y = static_cast<T*>(to);
  const Grid<T> grid{F32(scale), F32(zero_point)};
  int64_t i = 0;
  if (scale > 0x1p-100f && scale < 0x1p100f) {
    const F32 factor(1.0f / scale), least = grid.least() * grid.scale, greatest = grid.greatest() * grid.scale;
    const I32 shift = xsimd::to_int(grid.zero_point) - I32(kRoundMagicBits);
    for (; i + kVectors * kLanes <= n; i += kVectors * kLanes) {
      F32 farthest(0.0f);
      LINNET_UNROLL
      for (int k = 0; k < kVectors; ++k) {
        const F32 quotient = xsimd::min(above(load(x + i + k * kLanes), least), greatest) * factor;
        const F32 shifted = quotient + F32(kRoundMagic);
        farthest = xsimd::max(farthest, magnitude_of(quotient - (shifted - F32(kRoundMagic))));
        narrow(bits_of(shifted) + shift, y + i + k * kLanes);
      }
      if (xsimd::any(farthest > F32(kNearMiddle))) divide_all(x + i, y + i, kVectors * kLanes, grid);
    }
  }
  divide_all(x + i, y + i, n - i, grid);
}

template <class T>
void quantize_each(const float* x, void* to, int64_t n, const float* scale, const float* zero_point) {
  T* y = static_cast<T*>(to);
  for_vectors(
      n,
      [&](int64_t i) {
        narrow(divided(load(x + i), Grid<T>{load(scale + i), load(zero_point + i)}), y + i);
      },
      [&](int64_t i, size_t count) {
        T last[kLanes];
        const auto part = [&](const float* from) { return load_part(from + i, int64_t(count), 1.0f); };
        narrow(divided(part(x), Grid<T>{part(scale), part(zero_point)}), last);
        std::memcpy(y + i, last, count);
      });
}

template <class T>
inline F32 dequantized(const T* x, const Grid<T>& grid) {
  return (xsimd::to_float(widen(x)) - grid.zero_point) * grid.scale;
}

template <class T>
void dequantize(const void* from, float* y, int64_t n, float scale, float zero_point) {
  const T* x = static_cast<const T*>(from);
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
void dequantize_each(const void* from, float* y, int64_t n, const float* scale, const float* zero_point) {
  const T* x = static_cast<const T*>(from);
  for_vectors(
      n,
      [&](int64_t i) {
        store(y + i, dequantized(x + i, Grid<T>{load(scale + i), load(zero_point + i)}));
      },
      [&](int64_t i, size_t count) {
        T last[kLanes] = {};
        std::memcpy(last, x + i, count);
        const Grid<T> grid{load_part(scale + i, int64_t(count)), load_part(zero_point + i, int64_t(count))};
        store_part(y + i, dequantized(last, grid), int64_t(count));
      });
}

inline F32 lesser(F32 x, F32 least) { return xsimd::select(x < least, x, least); }
inline F32 greater(F32 x, F32 greatest) { return xsimd::select(x > greatest, x, greatest); }

void extend_range(const float* x, int64_t n, FloatRange* range) {
  constexpr int kVectors = 4;
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

void look_up(const uint8_t* x, const uint8_t* table, uint8_t* y, int64_t n) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    LINNET_UNROLL
    for (int k = 0; k < 8; ++k) y[i + k] = table[x[i + k]];
  }
  for (; i < n; ++i) y[i] = table[x[i]];
}

template <class T>
constexpr ByteKernels kBytes{quantize<T>, dequantize<T>, quantize_each<T>, dequantize_each<T>};

}  // namespace

void fill(QuantizeKernels& kernels);
void fill(QuantizeKernels& kernels) {
  kernels.u8 = kBytes<uint8_t>;
  kernels.s8 = kBytes<int8_t>;
  kernels.extend_range = extend_range;
  kernels.look_up = look_up;
}

}  // namespace linnet::LINNET_SIMD_NS
