#pragma once

// Included by *.simd.cc only: tiles of a matrix product, whose sums stay in registers, for the kernels that share
// GemmStrip. `Tile` names the GemmType and its vectors of sums, and defines how they are loaded, multiplied and stored.
#include "kernels/gemm.h"
#include "kernels/vector_math.h"
#include "partition/parts.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

#if defined(__AVX__) || defined(__aarch64__)
constexpr bool kFusedMultiply = true;
#else
constexpr bool kFusedMultiply = false;
#endif

/// Whether a masked load or store is as fast as a whole one.
#if defined(__AVX512F__)
constexpr bool kFreeMasks = true;
#else
constexpr bool kFreeMasks = false;
#endif

/// The number of rows of the highest strip and of the highest tile.
constexpr int kStripRows = 24, kHighestTile = kMostTileRows;

/// Returns the number of rows of the highest tile of `vectors` vectors. Its sums fill the registers that remain after
/// the vectors of B and one value of A. Without fused multiply-add, a product needs one more register. For one vector,
/// half of 32 registers hold enough sums in flight.
constexpr int highest_tile(int vectors) {
  if (kRegisters == 32) return vectors == 1 ? kHighestTile : 24 / vectors;
  if (!kFusedMultiply) return vectors <= 2 ? 8 / vectors : 0;
  return vectors <= 3 ? 12 / vectors : 0;
}

/// The number of vectors of the widest tile.
constexpr int kMostVectors = 8;

/// Returns the largest number of vectors of columns in a tile of so many rows. With few rows a tile covers several
/// panels, to have enough independent sums in flight.
constexpr int widest_tile(int rows) {
  if (rows == 1 || (kRegisters == 32 && rows <= 3)) return kMostVectors;
  return rows <= 3 || (kRegisters == 32 && rows <= 6) ? 4 : 2;
}

/// Returns the number of steps of the sum for which a row's address is read once. Registers must hold that many rows of
/// B.
constexpr int unrolled_steps(int vectors) {
  if (kRegisters == 32) return vectors == 1 ? 4 : vectors <= 3 ? 2 : 1;
  return kFusedMultiply && vectors == 1 ? 2 : 1;
}

// The number of rows of A whose addresses are in general registers, together with those of B and of what is prefetched.
// By default GCC would move the other addresses through vector registers and delay the multiplications. Reading them
// from memory costs nothing.
#if defined(__x86_64__)
constexpr int kHeldRows = 9;
#else
constexpr int kHeldRows = kHighestTile;
#endif

constexpr int64_t kLineBytes = 64;

/// Returns the number of lines that a tile of so many vectors prefetches in each step. Two tiles of a panel then
/// prefetch all of the next one. Tiles of several panels have few rows and wait for memory: more requests delay them.
template <class Type>
constexpr int asked_lines(int vectors, int panels, int lanes) {
  const int64_t bytes = int64_t{vectors} * lanes * Type::kUnit * int64_t{sizeof(typename Type::B)};
  return panels == 1 && bytes > kLineBytes ? 2 : 1;
}

/// One tile. Its size is a property of the function that computes it.
template <class Type>
struct TileJob {
  int64_t taps, steps;  ///< steps of kUnit values each
  const typename Type::A* const* a;
  int64_t a_pitch;  ///< distance in pointers from one tap to the next
  int64_t a_offset;
  const typename Type::B* b;
  int64_t b_pitch;        ///< distance in values from one row of a panel to the next
  int64_t panel_pitch;    ///< distance from one panel to the next
  const std::byte* next;  ///< lines to prefetch, asked_lines() in each step
  int64_t next_pitch;     ///< bytes from one step to the next; 0: always the same lines
  typename Type::Y* y;
  int64_t y_pitch;
  bool accumulate;
  int64_t last_lanes;                               ///< columns in the last vector
  const BasicEpilogue<typename Type::Y>* epilogue;  ///< the strip's
  int64_t row, column;                              ///< position of the tile in the strip
  const ByteBlock* bytes;                           ///< the strip's
};

/// Loads vector `v` of NV in a row of columns, of which the last may be partial.
template <class Tile, int NV, class T>
[[gnu::always_inline]] inline typename Tile::Vector load_columns(const T* x, int v, int64_t last_lanes) {
  if (v < NV - 1 || (!kFreeMasks && last_lanes == Tile::kLanes)) return Tile::load(x + v * Tile::kLanes);
  return Tile::load_part(x + v * Tile::kLanes, last_lanes);
}
template <class Tile, int NV, class T>
[[gnu::always_inline]] inline void store_columns(T* y, int v, int64_t last_lanes, typename Tile::Vector value) {
  if (v < NV - 1 || (!kFreeMasks && last_lanes == Tile::kLanes)) return Tile::store(y + v * Tile::kLanes, value);
  Tile::store_part(y + v * Tile::kLanes, value, last_lanes);
}

template <class Vector>
[[gnu::always_inline]] inline Vector clamp(Vector x, const Epilogue& e) {
  return at_most(Vector(e.high), at_least(Vector(e.low), x));
}

/// The initial values of the sums of a tile without a bias.
template <class Tile>
alignas(64) constexpr typename Tile::Type::Y kZeros[kMostVectors * Tile::kLanes] = {};

/// Starts the sums with the bias, or with zeros after an earlier block.
template <class Tile, int MR, int NV>
[[gnu::always_inline]] inline void begin(const TileJob<typename Tile::Type>& job,
                                         typename Tile::Vector (&sum)[MR][NV]) {
  const bool biased = job.epilogue->bias && !job.accumulate;
  const auto* bias = biased ? job.epilogue->bias + job.column : kZeros<Tile>;
  LINNET_UNROLL for (int v = 0; v < NV; ++v) {
    const auto value = load_columns<Tile, NV>(bias, v, job.last_lanes);
    LINNET_UNROLL for (int i = 0; i < MR; ++i) sum[i][v] = value;
  }
}

/// Adds kSteps rows of B, multiplied by the rows of A. kHalf: only the lower half of the last vector is used.
template <class Tile, int kSteps, bool kHalf, int MR, int W, int NV, class Rows>
[[gnu::always_inline]] inline void add_products(const TileJob<typename Tile::Type>& job,
                                                const typename Tile::Type::B* b, int64_t k, Rows row_of,
                                                typename Tile::Vector (&sum)[MR][NV]) {
  typename Tile::Factor row[kSteps][NV];
  LINNET_UNROLL for (int u = 0; u < kSteps; ++u) {
    LINNET_UNROLL for (int v = 0; v < NV; ++v) {
      row[u][v] = Tile::load_b(b + u * job.b_pitch + v / W * job.panel_pitch, v % W);
    }
  }
  LINNET_UNROLL for (int i = 0; i < MR; ++i) {
    const typename Tile::Type::A* from = row_of(i);
    LINNET_UNROLL for (int u = 0; u < kSteps; ++u) {
      const auto x = Tile::spread(from + (k + u) * Tile::Type::kUnit);
      LINNET_UNROLL for (int v = 0; v < NV; ++v) {
        if constexpr (kHalf) {
          sum[i][v] = v == NV - 1 ? Tile::multiply_add_half(x, row[u][v], sum[i][v])
                                  : Tile::multiply_add(x, row[u][v], sum[i][v]);
        } else {
          sum[i][v] = Tile::multiply_add(x, row[u][v], sum[i][v]);
        }
      }
    }
  }
}

/// Multiplies W vectors of each of G panels.
template <class Tile, int MR, int W, int G, bool kHalf>
[[gnu::always_inline]] inline void multiply(const TileJob<typename Tile::Type>& job,
                                            typename Tile::Vector (&sum)[MR][W * G]) {
  using Type = typename Tile::Type;
  constexpr int kSteps = G == 1 ? unrolled_steps(W) : 1;
  constexpr int kHeld = kHeldRows < MR ? kHeldRows : MR;
  constexpr bool kAsks = W * G >= 2;
  constexpr int kLines = asked_lines<Type>(W, G, Tile::kLanes);
  const typename Type::B* b = job.b;
  const std::byte* next = job.next;
  for (int64_t t = 0; t < job.taps; ++t) {
    const typename Type::A* a[MR];
    const typename Type::A* volatile in_memory[MR];
    LINNET_UNROLL for (int i = 0; i < MR; ++i) a[i] = job.a[t * job.a_pitch + i] + job.a_offset;
    LINNET_UNROLL for (int i = kHeld; i < MR; ++i) in_memory[i] = a[i];
    const auto row_of = [&](int i) __attribute__((always_inline)) {
      return i < kHeld ? a[i] : const_cast<const typename Type::A*>(in_memory[i]);
    };
    const auto step = [&]<int kCount>(std::integral_constant<int, kCount>, int64_t k) __attribute__((always_inline)) {
      if constexpr (kAsks) {
        LINNET_UNROLL for (int u = 0; u < kCount; ++u) {
          __builtin_prefetch(next, 0, 2);
          if constexpr (kLines == 2) __builtin_prefetch(next + kLineBytes, 0, 2);
          next += job.next_pitch;
        }
      }
      add_products<Tile, kCount, kHalf, MR, W>(job, b, k, row_of, sum);
      b += kCount * job.b_pitch;
    };
    int64_t k = 0;
    for (; k + kSteps <= job.steps; k += kSteps) step(std::integral_constant<int, kSteps>(), k);
    if constexpr (kSteps > 1) {
      for (; k < job.steps; ++k) step(std::integral_constant<int, 1>(), k);
    }
  }
}

/// Whether a part of the epilogue must wait until a tile is stored.
template <class Tile>
[[gnu::always_inline]] inline bool waits(const TileJob<typename Tile::Type>& job) {
  const auto& e = *job.epilogue;
  return (e.bias && job.accumulate) || e.slope || (!Tile::kActivates && e.residual);
}

/// Applies what must wait until a tile is stored: the bias after the sums of earlier blocks, the residual of tiles
/// without activations, prelu and the clamp. Reads and writes the rows of y that a tile of so many vectors has stored.
template <class Tile>
[[gnu::noinline]] void apply_epilogue(const TileJob<typename Tile::Type>& job, int rows, int vectors) {
  const auto e = job.epilogue->at(job.row, job.column);
  for (int v = 0; v < vectors; ++v) {
    const int64_t column = int64_t{v} * Tile::kLanes, lanes = v + 1 < vectors ? Tile::kLanes : job.last_lanes;
    const auto bias = e.bias && job.accumulate ? Tile::load_part(e.bias + column, lanes) : Tile::zero();
    for (int i = 0; i < rows; ++i) {
      auto* const y = job.y + i * job.y_pitch + column;
      auto x = Tile::load_part(y, lanes);
      if (e.bias && job.accumulate) x = x + bias;
      if constexpr (!Tile::kActivates) {
        if (e.residual) x = x + Tile::load_part(e.residual + i * e.residual_pitch + column, lanes);
      } else {
        if (e.slope) x = prelu(x, Tile::load_part(e.slope + column, lanes));
        if (e.clamps()) x = clamp(x, e);
      }
      Tile::store_part(y, x, lanes);
    }
  }
}

/// Calls f(i, row) for the MR rows of y. Each address is computed from the one before it. Otherwise GCC computes all of
/// them first, which takes more registers than there are and a third of the code of a tile.
template <int MR, class Y, class F>
[[gnu::always_inline]] inline void for_rows(Y* y, int64_t pitch, F f) {
  LINNET_UNROLL for (int i = 0; i < MR; ++i) {
    f(i, y);
    y += pitch;
    asm volatile("" : "+r"(y));
  }
}

template <class Tile, int MR, int NV>
[[gnu::always_inline]] inline void finish(const TileJob<typename Tile::Type>& job,
                                          typename Tile::Vector (&sum)[MR][NV]) {
  using Y = typename Tile::Type::Y;
  // Stores may alias the job for all the compiler knows, so these are copies.
  const auto& e = *job.epilogue;
  auto* const y = job.y;
  const int64_t y_pitch = job.y_pitch, last_lanes = job.last_lanes;
  const bool later = waits<Tile>(job);
  // Earlier sums are added at the end, not used as initial values. Rounding errors grow with the length of a sum, and
  // this limits it to the length of a block.
  if (job.accumulate) {
    for_rows<MR>(
        y, y_pitch, [&](int i, const Y* row) __attribute__((always_inline)) {
          LINNET_UNROLL for (int v = 0; v < NV; ++v) sum[i][v] = sum[i][v] + load_columns<Tile, NV>(row, v, last_lanes);
        });
  }
  if (Tile::kActivates && e.residual) {  // before y is stored, which may overwrite it
    const Y* residual = e.residual + job.row * e.residual_pitch + job.column;
    for_rows<MR>(
        residual, e.residual_pitch, [&](int i, const Y* row) __attribute__((always_inline)) {
          LINNET_UNROLL for (int v = 0; v < NV; ++v) sum[i][v] = sum[i][v] + load_columns<Tile, NV>(row, v, last_lanes);
        });
  }
  if constexpr (Tile::kActivates) {
    if (e.clamps() && !later) {
      LINNET_UNROLL for (int i = 0; i < MR; ++i) {
        LINNET_UNROLL for (int v = 0; v < NV; ++v) sum[i][v] = clamp(sum[i][v], e);
      }
    }
  }
  for_rows<MR>(
      y, y_pitch, [&](int i, Y* row) __attribute__((always_inline)) {
        LINNET_UNROLL for (int v = 0; v < NV; ++v) store_columns<Tile, NV>(row, v, last_lanes, sum[i][v]);
      });
  if (later) apply_epilogue<Tile>(job, MR, NV);
}

/// Computes a tile of MR rows and W vectors of each of G panels.
template <class Tile, int MR, int W, int G, bool kHalf>
void tile(const TileJob<typename Tile::Type>& job) {
  typename Tile::Vector sum[MR][W * G];
  begin<Tile>(job, sum);
  multiply<Tile, MR, W, G, kHalf>(job, sum);
  if constexpr (Tile::kStoresBytes && W == kWidestPanel) {
    if (job.bytes) return Tile::store_bytes(job, sum);
  }
  finish<Tile>(job, sum);
}

/// Applies the activation after all sums of a strip are stored. Its rows are long and still in the first-level cache.
template <class Type>
inline void activate(const GemmStrip<Type>& s, int64_t columns) {
  const auto& e = s.epilogue;
  if (!e.activation) return;
  if (s.y_pitch == columns) return e.activation(s.y, s.y, s.rows * columns, e.alpha, e.beta);
  for (auto* y = s.y; y != s.y + s.rows * s.y_pitch; y += s.y_pitch) e.activation(y, y, columns, e.alpha, e.beta);
}

}  // namespace
}  // namespace linnet::LINNET_SIMD_NS
