#include "kernels/quantize.h"

#include "kernels/byte_grid.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

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

/// round_four() for fewer vectors, one at a time, for any quotients.
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

/// Computes quotients as products with the reciprocal. Within the bounds these differ from x / scale by at most 2^-15,
/// so they are rounded to the same integer unless they are near the middle between two integers. There the code
/// divides.
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

/// quantize_run() of kVectors vectors of several blocks. Each block has kOfBlock vectors, and all have the same zero
/// point.
template <int kOfBlock, class T>
inline void quantize_together(const float* x, T* y, const float* scale, float zero_point) {
  F32 quotient[kVectors];
  bool divides = false;
  LINNET_UNROLL
  for (int k = 0; k < kVectors; ++k) {
    const float block_scale = scale[k / kOfBlock];
    const Grid<T> grid{F32(block_scale), F32(zero_point)};
    quotient[k] = at_most(grid.greatest() * grid.scale, load(x + k * kLanes)) * F32(1.0f / block_scale);
    divides |= !(block_scale > 0x1p-100f && block_scale < 0x1p100f);
  }
  if (!divides && round_four(quotient, F32(0.5f - 0x1p-12f), zero_point, y)) return;
  for (int k = 0; k < kVectors; k += kOfBlock) {
    const Grid<T> grid{F32(scale[k / kOfBlock]), F32(zero_point)};
    divide_all(x + k * kLanes, y + k * kLanes, kOfBlock * kLanes, grid);
  }
}

/// Quantises the first of n elements, as many as fill kVectors vectors, in blocks of kOfBlock vectors. Returns their
/// number.
template <int kOfBlock, class T>
int64_t quantize_short_blocks(const float* x, T* y, int64_t n, const float* scale, const void* zero_points) {
  constexpr int64_t kBlocks = kVectors / kOfBlock;
  int64_t i = 0;
  for (int64_t block = 0; i + kVectors * kLanes <= n; i += kVectors * kLanes, block += kBlocks) {
    const float zero_point = zero_point_at<T>(zero_points, block);
    bool same = true;
    for (int64_t b = 1; b < kBlocks; ++b) same &= zero_point_at<T>(zero_points, block + b) == zero_point;
    if (same) {
      quantize_together<kOfBlock>(x + i, y + i, scale + block, zero_point);
      continue;
    }
    for (int64_t b = 0, at = i; b < kBlocks; ++b, at += kOfBlock * kLanes) {
      quantize_run(x + at, y + at, kOfBlock * kLanes, scale[block + b], zero_point_at<T>(zero_points, block + b));
    }
  }
  return i;
}

template <class T>
void quantize_blocks(const float* x, void* to, int64_t n, int64_t block, const float* scale, const void* zero_points) {
  T* y = static_cast<T*>(to);
  if (block == 1) return quantize_each(x, y, n, scale, zero_points);
  int64_t done = 0;
  if (block == kLanes) done = quantize_short_blocks<1>(x, y, n, scale, zero_points);
  if (block == 2 * kLanes) done = quantize_short_blocks<2>(x, y, n, scale, zero_points);
  for_blocks(n - done, block, [&](int64_t from, int64_t count, int64_t index) {
    const int64_t begin = done + from, i = done / block + index;
    quantize_run(x + begin, y + begin, count, scale[i], zero_point_at<T>(zero_points, i));
  });
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

// Integers above 8 bits. The functions have no branches, so that compilers vectorise the loops.

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

template <class T>
constexpr GridKernels kBytes{quantize<T>, dequantize<T>, quantize_blocks<T>, dequantize_blocks<T>};
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
}

}  // namespace linnet::LINNET_SIMD_NS
