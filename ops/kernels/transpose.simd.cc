#include "kernels/transpose.h"

#include <cstring>
#include <utility>

#include "kernels/simd.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

template <int W>
struct Vector {
  typedef uint32_t Type __attribute__((vector_size(W * sizeof(uint32_t))));
};
template <int W>
using Words = typename Vector<W>::Type;

template <class Pick, class V, int... J>
inline V shuffle(V a, V b, std::integer_sequence<int, J...>) {
  return __builtin_shufflevector(a, b, Pick::template index<sizeof...(J)>(J)...);
}

/// The source of element j of a shuffle of (a, b). Indices from W on are those of b.
template <int kHigh>
struct UnpackWords {  // within 128 bits: a0 b0 a1 b1, or a2 b2 a3 b3
  template <int W>
  static constexpr int index(int j) {
    return j / 4 * 4 + j % 4 / 2 + 2 * kHigh + (j % 2) * W;
  }
};
template <int kHigh>
struct UnpackPairs {  // within 128 bits: a0 a1 b0 b1, or a2 a3 b2 b3
  template <int W>
  static constexpr int index(int j) {
    return j / 4 * 4 + j % 2 + 2 * kHigh + (j % 4 / 2) * W;
  }
};
template <int kStep, int kHigh>
struct SwapLanes {  // 2x2 transposition of blocks of kStep elements
  template <int W>
  static constexpr int index(int j) {
    return kHigh ? ((j & kStep) ? W + j : j + kStep) : ((j & kStep) ? W + j - kStep : j);
  }
};

template <class Pick, int W>
inline Words<W> pick(Words<W> a, Words<W> b) {
  return shuffle<Pick>(a, b, std::make_integer_sequence<int, W>{});
}

template <int kStep, int W>
inline void swap_lanes(Words<W>* v) {
#pragma GCC unroll 16
  for (int i = 0; i < W; ++i) {
    if (i & kStep) continue;
    const Words<W> a = v[i], b = v[i + kStep];
    v[i] = pick<SwapLanes<kStep, 0>, W>(a, b);
    v[i + kStep] = pick<SwapLanes<kStep, 1>, W>(a, b);
  }
}

/// Transposes every 4x4 block within the 128-bit lanes.
template <int W>
inline void transpose_lanes(Words<W>* v) {
#pragma GCC unroll 4
  for (int i = 0; i < W; i += 4) {
    const auto low_ab = pick<UnpackWords<0>, W>(v[i], v[i + 1]), high_ab = pick<UnpackWords<1>, W>(v[i], v[i + 1]);
    const auto low_cd = pick<UnpackWords<0>, W>(v[i + 2], v[i + 3]);
    const auto high_cd = pick<UnpackWords<1>, W>(v[i + 2], v[i + 3]);
    v[i] = pick<UnpackPairs<0>, W>(low_ab, low_cd);
    v[i + 1] = pick<UnpackPairs<1>, W>(low_ab, low_cd);
    v[i + 2] = pick<UnpackPairs<0>, W>(high_ab, high_cd);
    v[i + 3] = pick<UnpackPairs<1>, W>(high_ab, high_cd);
  }
}

template <int W>
inline void tile(const uint32_t* x, int64_t ldx, uint32_t* y, int64_t ldy) {
  Words<W> v[W];
#pragma GCC unroll 16
  for (int i = 0; i < W; ++i) std::memcpy(&v[i], x + i * ldx, sizeof(v[i]));
  transpose_lanes<W>(v);
  if constexpr (W >= 8) swap_lanes<4, W>(v);
  if constexpr (W >= 16) swap_lanes<8, W>(v);
#pragma GCC unroll 16
  for (int i = 0; i < W; ++i) std::memcpy(y + i * ldy, &v[i], sizeof(v[i]));
}

template <class T>
void scalar_region(const T* x, int64_t rows, int64_t cols, int64_t ldx, T* y, int64_t ldy) {
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < cols; ++c) y[c * ldy + r] = x[r * ldx + c];
  }
}

template <int W>
void tiled_region(const uint32_t* x, int64_t rows, int64_t cols, int64_t ldx, uint32_t* y, int64_t ldy) {
  const int64_t full_rows = rows / W * W, full_cols = cols / W * W;
  constexpr int64_t kLine = W < 16 ? 16 : W;  // elements of a cache line, written as a whole
  for (int64_t r = 0; r < full_rows; r += kLine) {
    const int64_t end = r + kLine < full_rows ? r + kLine : full_rows;
    for (int64_t c = 0; c < full_cols; c += W) {
      for (int64_t i = r; i < end; i += W) tile<W>(x + i * ldx + c, ldx, y + c * ldy + i, ldy);
    }
  }
  const auto rest = W > 4 ? tiled_region<4> : scalar_region<uint32_t>;
  if (full_cols < cols) rest(x + full_cols, full_rows, cols - full_cols, ldx, y + full_cols * ldy, ldy);
  if (full_rows < rows) rest(x + full_rows * ldx, rows - full_rows, cols, ldx, y + full_rows, ldy);
}

/// Interleaves R rows, known at compile time, to contiguous elements of y, and the reverse.
template <int R, class T>
void interleave(const T* x, int64_t cols, int64_t ldx, T* __restrict y) {
  for (int64_t c = 0; c < cols; ++c) {
    for (int r = 0; r < R; ++r) y[c * R + r] = x[r * ldx + c];
  }
}
template <int C, class T>
void deinterleave(const T* x, int64_t rows, T* __restrict y, int64_t ldy) {
  for (int64_t r = 0; r < rows; ++r) {
    for (int c = 0; c < C; ++c) y[c * ldy + r] = x[r * C + c];
  }
}

template <class T>
bool transpose_narrow(const T* x, int64_t rows, int64_t cols, int64_t ldx, T* y, int64_t ldy) {
  if (rows == 2 && ldy == 2) return interleave<2>(x, cols, ldx, y), true;
  if (rows == 3 && ldy == 3) return interleave<3>(x, cols, ldx, y), true;
  if (cols == 2 && ldx == 2) return deinterleave<2>(x, rows, y, ldy), true;
  if (cols == 3 && ldx == 3) return deinterleave<3>(x, rows, y, ldy), true;
  if constexpr (sizeof(T) < sizeof(uint32_t)) {
    if (rows == 4 && ldy == 4) return interleave<4>(x, cols, ldx, y), true;
    if (cols == 4 && ldx == 4) return deinterleave<4>(x, rows, y, ldy), true;
  }
  return false;
}

void bits32(const void* x_in, int64_t rows, int64_t cols, int64_t ldx, void* y_out, int64_t ldy) {
  const auto* x = static_cast<const uint32_t*>(x_in);
  auto* y = static_cast<uint32_t*>(y_out);
  if (transpose_narrow(x, rows, cols, ldx, y, ldy)) return;
  // Columns per pass. Whole cache lines of each row of x are used while they are cached. Rows of y at multiples of 1
  // KiB share few sets of the first-level cache, so fewer of them are written at a time, and whole lines of them.
  constexpr int64_t kShared = 256, kLine = 16;
  const int64_t block = ldy % kShared == 0 && ldx % kShared != 0 ? 16 : 64;
  const int64_t before_line = ldy % kShared == 0 ? -int64_t(uintptr_t(y) / sizeof(*y)) & (kLine - 1) : 0;
  if (before_line > 0 && rows > 4 * kLine) {
    tiled_region<4>(x, before_line, cols, ldx, y, ldy);
    x += before_line * ldx, y += before_line, rows -= before_line;
  }
  for (int64_t c = 0; c < cols; c += block) {
    const int64_t count = cols - c < block ? cols - c : block;
    tiled_region<kLanes>(x + c, rows, count, ldx, y + c * ldy, ldy);
  }
}

/// A vector of 16 bytes of elements.
template <class T>
struct Register {
  typedef T Type __attribute__((vector_size(16)));
  static constexpr int kSize = int(16 / sizeof(T));
};

/// The source of element j when the halves of two vectors are interleaved.
template <int kHigh>
struct Interleave {
  template <int W>
  static constexpr int index(int j) {
    return j / 2 + W / 2 * kHigh + (j % 2) * W;
  }
};

/// A tile of W by W elements, with rows of 16 bytes. Interleaving rows i and i + W / 2 log2(W) times gives the columns.
template <class T>
inline void register_tile(const T* x, int64_t ldx, T* y, int64_t ldy) {
  constexpr int W = Register<T>::kSize;
  constexpr auto kAll = std::make_integer_sequence<int, W>{};
  typename Register<T>::Type v[W], next[W];
  LINNET_UNROLL
  for (int i = 0; i < W; ++i) std::memcpy(&v[i], x + i * ldx, sizeof v[i]);
  LINNET_UNROLL
  for (int step = 1; step < W; step *= 2) {
    LINNET_UNROLL
    for (int i = 0; i < W / 2; ++i) {
      next[2 * i] = shuffle<Interleave<0>>(v[i], v[i + W / 2], kAll);
      next[2 * i + 1] = shuffle<Interleave<1>>(v[i], v[i + W / 2], kAll);
    }
    LINNET_UNROLL
    for (int i = 0; i < W; ++i) v[i] = next[i];
  }
  LINNET_UNROLL
  for (int i = 0; i < W; ++i) std::memcpy(y + i * ldy, &v[i], sizeof v[i]);
}

/// Transposes tiles, in blocks with as many rows and columns as a cache line has elements. Blocks begin at a line of y.
/// Large blocks take as long as memory takes to respond, and prefetch the next columns.
template <class T>
void in_registers(const void* x_in, int64_t rows, int64_t cols, int64_t ldx, void* y_out, int64_t ldy) {
  const auto* x = static_cast<const T*>(x_in);
  auto* y = static_cast<T*>(y_out);
  if (transpose_narrow(x, rows, cols, ldx, y, ldy)) return;
  constexpr int64_t W = Register<T>::kSize, kLine = 64 / sizeof(T);
  const int64_t full_rows = rows / W * W, full_cols = cols / W * W;
  const int64_t after_line = int64_t(uintptr_t(y) / sizeof(typename Register<T>::Type)) * W & (kLine - 1);
  for (int64_t first = 0; first < full_cols; first += kLine) {
    const int64_t end = first + kLine < full_cols ? first + kLine : full_cols;
    for (int64_t line = 0, last; line < full_rows; line = last) {
      last = line + kLine - (line > 0 ? 0 : after_line);
      if (last > full_rows) last = full_rows;
      if constexpr (kLine > 8) {
        for (int64_t r = line; r < last; ++r) __builtin_prefetch(x + r * ldx + end);
      }
      for (int64_t c = first; c < end; c += W) {
        for (int64_t r = line; r < last; r += W) register_tile(x + r * ldx + c, ldx, y + c * ldy + r, ldy);
      }
    }
  }
  scalar_region(x + full_cols, full_rows, cols - full_cols, ldx, y + full_cols * ldy, ldy);
  scalar_region(x + full_rows * ldx, rows - full_rows, cols, ldx, y + full_rows, ldy);
}

}  // namespace

void fill(TransposeKernels& kernels);
void fill(TransposeKernels& kernels) {
  kernels.bits8 = in_registers<uint8_t>;
  kernels.bits16 = in_registers<uint16_t>;
  kernels.bits32 = bits32;
  kernels.bits64 = in_registers<uint64_t>;
}

}  // namespace linnet::LINNET_SIMD_NS
