#include "kernels/plane_depthwise.h"

#include <utility>

#include "kernels/vector_math.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

using Windows = PlaneWindows;
using Filter = PlaneFilter;

/// The rows of a tile, whose sums stay in registers, and the most vectors of its rows.
constexpr int kRows = 4, kVectors = kRegisters == 32 ? 4 : 2;

/// The first columns of a tile's vectors. The last vector may overlap the one before it.
struct Columns {
  int64_t first, last;

  template <int V>
  [[gnu::always_inline]] int64_t of(int v) const {
    return v < V - 1 ? first + v * kLanes : last;
  }
};

/// Loads a vector into a register. Otherwise GCC loads it again for each multiplication.
[[gnu::always_inline]] inline F32 load_once(const float* x) {
  auto value = load(x).data;
#if defined(__x86_64__)
  __asm__("" : "+v"(value));
#endif
  return value;
}

/// Adds the products of windows of kSize x kSize adjacent pixels, kStride apart. Each vector of input is loaded once
/// for all rows.
template <int kSize, int kStride>
struct Square {
  template <int R, int V>
  [[gnu::always_inline]] static void add(const Windows& s, const float* const* lines, const float* w, Columns columns,
                                         F32 (&sum)[R][V]) {
    LINNET_UNROLL for (int i = 0; i < (R - 1) * kStride + kSize; ++i) {
      LINNET_UNROLL for (int k = 0; k < kSize; ++k) {
        const float* line = lines[i] + k % kStride * s.pitch + k / kStride;
        F32 x[V];
        LINNET_UNROLL for (int v = 0; v < V; ++v) x[v] = load_once(line + columns.of<V>(v));
        LINNET_UNROLL for (int r = 0; r < R; ++r) {
          if (i < r * kStride || i - r * kStride >= kSize) continue;
          const F32 weight(w[(i - r * kStride) * kSize + k]);
          LINNET_UNROLL for (int v = 0; v < V; ++v) sum[r][v] = xsimd::fma(x[v], weight, sum[r][v]);
        }
      }
    }
  }
};

/// Adds the products of any windows.
struct AnyWindow {
  template <int R, int V>
  [[gnu::always_inline]] static void add(const Windows& s, const float* const* lines, const float* w, Columns columns,
                                         F32 (&sum)[R][V]) {
    for (int64_t i = 0; i < s.kernel_height; ++i) {
      int64_t phase = 0, offset = 0;
      for (int64_t k = 0; k < s.kernel; ++k, ++w) {
        const F32 weight(*w);
        LINNET_UNROLL for (int r = 0; r < R; ++r) {
          const float* x = lines[r * s.line_stride + i * s.line_dilation] + phase * s.pitch + offset;
          LINNET_UNROLL for (int v = 0; v < V; ++v) sum[r][v] =
              xsimd::fma(load(x + columns.of<V>(v)), weight, sum[r][v]);
        }
        for (phase += s.dilation; phase >= s.stride; phase -= s.stride) ++offset;
      }
    }
  }
};

/// Computes R rows of V vectors. lanes: what is stored of a vector.
template <class Window, int R, int V>
void tile(const Windows& s, const Filter& f, int64_t row, Columns columns, int64_t lanes) {
  F32 sum[R][V];
  LINNET_UNROLL for (int r = 0; r < R; ++r) { LINNET_UNROLL for (int v = 0; v < V; ++v) sum[r][v] = F32(f.bias); }
  Window::add(s, f.lines + row * s.line_stride, f.w, columns, sum);
  const F32 low(f.low), high(f.high);
  float* y = f.y + row * s.out;
  LINNET_UNROLL for (int r = 0; r < R; ++r, y += s.out) {
    LINNET_UNROLL for (int v = 0; v < V; ++v) {
      const F32 value = at_most(high, at_least(low, sum[r][v]));
      // What a vector stores beyond the end of a short row is overwritten by the next rows.
      if (V > 1 || lanes == kLanes || (R - r) * s.out >= kLanes) {
        store(y + columns.of<V>(v), value);
      } else {
        store_part(y + columns.of<V>(v), value, lanes);
      }
    }
  }
}

/// Computes R rows from `column` on in tiles of V vectors, then in narrower ones. The last vector of a row of at least
/// kLanes pixels is a whole one.
template <class Window, int R, int V>
void row_tiles(const Windows& s, const Filter& f, int64_t row, int64_t column) {
  const int64_t last = s.out - kLanes;
  for (; s.out - column > (V - 1) * kLanes; column += V * kLanes) {
    if (last < 0) return tile<Window, R, 1>(s, f, row, {0, 0}, s.out);
    const int64_t end = column + (V - 1) * kLanes;
    tile<Window, R, V>(s, f, row, {column, end < last ? end : last}, kLanes);
  }
  if constexpr (V > 1) row_tiles<Window, R, V / 2>(s, f, row, column);
}

template <class Window>
void rows_of(const Windows& s, const Filter& f) {
  if (f.rows < kRows) {
    for (int64_t row = 0; row < f.rows; ++row) row_tiles<AnyWindow, 1, kVectors>(s, f, row, 0);
    return;
  }
  for (int64_t row = 0; row < f.rows; row += kRows) {
    row_tiles<Window, kRows, kVectors>(s, f, row + kRows <= f.rows ? row : f.rows - kRows, 0);
  }
}

void rows(const Windows& s, const Filter& f) {
  const int64_t size = s.sharing_square();
  if (s.stride == 1) {
    if (size == 3) return rows_of<Square<3, 1>>(s, f);
    if (size == 5) return rows_of<Square<5, 1>>(s, f);
    if (size == 7) return rows_of<Square<7, 1>>(s, f);
  }
  if (s.stride == 2) {
    if (size == 3) return rows_of<Square<3, 2>>(s, f);
    if (size == 5) return rows_of<Square<5, 2>>(s, f);
  }
  rows_of<AnyWindow>(s, f);
}

template <int... I>
[[gnu::always_inline]] inline void split_vectors(const float* x, float* even, float* odd,
                                                 std::integer_sequence<int, I...>) {
  using Vector [[gnu::vector_size(4 * kLanes)]] = float;
  const auto a = __builtin_bit_cast(Vector, load(x)), b = __builtin_bit_cast(Vector, load(x + kLanes));
  store(even, __builtin_bit_cast(F32, Vector(__builtin_shufflevector(a, b, (2 * I)...))));
  store(odd, __builtin_bit_cast(F32, Vector(__builtin_shufflevector(a, b, (2 * I + 1)...))));
}

/// Copies n floats to a line, where at least a vector can be written.
[[gnu::always_inline]] inline void copy_line(const float* x, int64_t n, float* to) {
  if (n < kLanes) {
    for (int64_t i = 0; i < n; ++i) to[i] = x[i];
    return;
  }
  for (int64_t i = 0; i + kLanes <= n; i += kLanes) store(to + i, load(x + i));
  store(to + n - kLanes, load(x + n - kLanes));
}

/// Copies n pairs of floats to two phases.
[[gnu::always_inline]] inline void copy_pairs(const float* x, int64_t n, float* even, float* odd) {
  const std::make_integer_sequence<int, kLanes> lanes;
  if (n < kLanes) {
    for (int64_t i = 0; i < n; ++i) even[i] = x[2 * i], odd[i] = x[2 * i + 1];
    return;
  }
  for (int64_t i = 0; i + kLanes <= n; i += kLanes) split_vectors(x + 2 * i, even + i, odd + i, lanes);
  split_vectors(x + 2 * (n - kLanes), even + n - kLanes, odd + n - kLanes, lanes);
}

void split(const Windows& s, const float* x, int64_t lines, float* to) {
  const int64_t floats = s.line_floats, first = s.pad % s.stride * s.pitch + s.pad / s.stride;
  if (s.stride == 1) {
    for (float* line = to + first; lines > 0; --lines, line += floats, x += s.in) copy_line(x, s.in, line);
    return;
  }
  if (s.stride == 2) {
    const int64_t second = (s.pad + 1) % 2 * s.pitch + (s.pad + 1) / 2;
    for (; lines > 0; --lines, to += floats, x += s.in) {
      copy_pairs(x, s.in / 2, to + first, to + second);
      if (s.in % 2 == 1) to[first + s.in / 2] = x[s.in - 1];
    }
    return;
  }
  for (; lines > 0; --lines, to += floats) {
    int64_t phase = s.pad % s.stride, offset = s.pad / s.stride;
    for (int64_t i = 0; i < s.in; ++i, ++x) {
      to[phase * s.pitch + offset] = *x;
      if (++phase == s.stride) phase = 0, ++offset;
    }
  }
}

}  // namespace

void fill(PlaneDepthwiseKernels& kernels);
void fill(PlaneDepthwiseKernels& kernels) {
  kernels.tile_rows = kRows;
  kernels.split = split;
  kernels.rows = rows;
}

}  // namespace linnet::LINNET_SIMD_NS
