#pragma once

// Included by *.simd.cc only: strips of a matrix product in tile registers. `Tile` names the GemmType and the vectors
// of sums, as for gemm_strip.h. `Tiles` defines the operations on registers.
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "kernels/gemm_tile.h"
#include "kernels/tile_config.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

/// Copies at most kTileBytes bytes.
inline void copy_bytes(std::byte* to, const std::byte* from, int64_t n) {
#if defined(__AVX512BW__)
  const __mmask64 bytes = ~uint64_t{0} >> (64 - n);
  _mm512_mask_storeu_epi8(to, bytes, _mm512_maskz_loadu_epi8(bytes, from));
#else
  std::memcpy(to, from, size_t(n));
#endif
}

/// 2x2 registers hold the sums of 32 rows and two vectors of columns; two registers hold A and two hold B. One product
/// of registers adds a slice, 16 rows of a panel. Slices begin at multiples of 16 rows of the panel, whatever the first
/// row is, and the sums of blocks of slices are added to each other. Every row therefore has the same sum at any
/// position.
template <class Tile, class Tiles>
class AmxStrip {
  using Type = typename Tile::Type;
  using Y = typename Type::Y;
  static_assert(Type::kUnit * sizeof(typename Type::A) == 4 && Type::kUnit * sizeof(typename Type::B) == 4);

 public:
  static constexpr int kStepBytes = 4, kSliceSteps = kTileBytes / kStepBytes;
  static constexpr int kRows = 2 * kTileRows;

 private:
  static constexpr int64_t kBlockSlices = 12;  // slices of A, which stay in the first-level cache while B is read
  static constexpr int64_t kSliceBytes = kRows * kTileBytes;
  static constexpr int64_t kBlockSteps = kBlockSlices * kSliceSteps;
  static constexpr int64_t kVectorBytes = Tile::kLanes * kStepBytes;
  static constexpr int64_t kConflictBytes = 2048;  // rows at multiples of it share few sets of the first-level cache

  /// The part of a slice that one register takes: so many bytes from each row to the next.
  struct RowPart {
    const std::byte* rows;
    int64_t pitch;
  };

 public:
  static void run(const GemmStrip<Type>& s) {
    configure(s.rows);
    AmxStrip strip(s);
    const int64_t end = s.b_row + s.taps * strip.tap_steps_;
    int64_t begin = s.b_row;
    do {
      const int64_t block_end = (begin / kBlockSteps + 1) * kBlockSteps;
      strip.run_block(begin, block_end < end ? block_end : end, block_end >= end);
      begin = block_end;
    } while (begin < end);
    Tiles::release();
    activate(s, s.panels->end_column(s.panel_end) - s.panels->first_column(s.panel));
  }

  static int64_t saturate(int64_t rounds) {
    configure(kRows);
    zero_sums<2, 2>();
    Tiles::template zero<4>(), Tiles::template zero<5>(), Tiles::template zero<6>(), Tiles::template zero<7>();
    for (int64_t round = 0; round < rounds; ++round) {
      Tiles::template multiply_add<0, 4, 6>();
      Tiles::template multiply_add<1, 4, 7>();
      Tiles::template multiply_add<2, 5, 6>();
      Tiles::template multiply_add<3, 5, 7>();
    }
    Tiles::release();
    return rounds * kRows * 2 * Tile::kLanes * kSliceSteps * Type::kUnit;
  }

 private:
  explicit AmxStrip(const GemmStrip<Type>& s) : s_(s), tap_steps_(ceil_div(s.depth, Type::kUnit)) {}

  /// Registers 0 to 3 hold sums, two for each half of the rows; 4 and 5 hold A; 6 and 7 hold B.
  static void configure(int rows) {
    const int lower = rows < kTileRows ? rows : kTileRows;
    TileConfig config;
    const auto set = [&](int t, int tile_rows, int64_t bytes) {
      config.rows[t] = uint8_t(tile_rows);
      config.row_bytes[t] = uint16_t(tile_rows > 0 ? bytes : 0);
    };
    for (int t = 0; t < 4; ++t) set(t, t < 2 ? lower : rows - lower, kVectorBytes);
    for (int t = 4; t < 6; ++t) set(t, t < 5 ? lower : rows - lower, kTileBytes);
    for (int t = 6; t < 8; ++t) set(t, int(kSliceSteps), kVectorBytes);
    Tiles::configure(config);
  }

  template <int kHalves, int NV>
  [[gnu::always_inline]] static void zero_sums() {
    Tiles::template zero<0>();
    if constexpr (NV == 2) Tiles::template zero<1>();
    if constexpr (kHalves == 2) Tiles::template zero<2>();
    if constexpr (kHalves == 2 && NV == 2) Tiles::template zero<3>();
  }

  /// Loads the sums from rows at a distance of `pitch` values.
  template <int kHalves, int NV>
  [[gnu::always_inline]] static void load_sums(const Y* from, int64_t pitch) {
    const int64_t bytes = pitch * int64_t{sizeof(Y)};
    Tiles::template load<0>(from, bytes);
    if constexpr (NV == 2) Tiles::template load<1>(from + Tile::kLanes, bytes);
    if constexpr (kHalves == 2) Tiles::template load<2>(from + kTileRows * pitch, bytes);
    if constexpr (kHalves == 2 && NV == 2) Tiles::template load<3>(from + kTileRows * pitch + Tile::kLanes, bytes);
  }

  template <int kHalves, int NV>
  [[gnu::always_inline]] static void store_sums(Y* to, int64_t pitch) {
    const int64_t bytes = pitch * int64_t{sizeof(Y)};
    Tiles::template store<0>(to, bytes);
    if constexpr (NV == 2) Tiles::template store<1>(to + Tile::kLanes, bytes);
    if constexpr (kHalves == 2) Tiles::template store<2>(to + kTileRows * pitch, bytes);
    if constexpr (kHalves == 2 && NV == 2) Tiles::template store<3>(to + kTileRows * pitch + Tile::kLanes, bytes);
  }

  /// Multiplies rows [begin, end) of the panels, all of one block.
  void run_block(int64_t begin, int64_t end, bool last) {
    begin_ = begin;
    end_ = end;
    find_a();
    const GemmPanels& p = *s_.panels;
    const int64_t first_column = p.first_column(s_.panel), end_column = p.end_column(s_.panel_end);
    BasicEpilogue<Y> epilogue = s_.epilogue.of_block(begin == s_.b_row, last);
    // Sums of integers begin with the bias.
    if (std::is_integral_v<Y> && !s_.accumulate) epilogue.bias = begin == s_.b_row ? s_.epilogue.bias : nullptr;
    TileJob<Type> job{};
    job.y_pitch = s_.y_pitch;
    job.accumulate = s_.accumulate || begin > s_.b_row;
    job.epilogue = &epilogue;
    for (int64_t panel = s_.panel; panel < s_.panel_end; ++panel) {
      const int width = p.run_from(panel).width;
      job.b_pitch = width * Tile::kLanes * Type::kUnit;
      for (int v = 0; v < width; v += 2) {
        const int64_t vector = p.vectors_before(panel) + v, left = end_column - vector * Tile::kLanes;
        if (left <= 0) break;
        const bool two = v + 1 < width && left > Tile::kLanes;
        const int64_t last_lanes = left - (two ? Tile::kLanes : 0);
        job.last_lanes = last_lanes < Tile::kLanes ? last_lanes : Tile::kLanes;
        job.b = s_.b + (p.vectors_before(panel) * s_.b_rows + v) * Tile::kLanes * Type::kUnit;
        job.column = vector * Tile::kLanes - first_column;
        two ? run_columns<2>(job) : run_columns<1>(job);
      }
    }
  }

  int64_t first_slice() const { return begin_ / kSliceSteps; }
  int64_t end_slice() const { return begin_ < end_ ? ceil_div(end_, kSliceSteps) : first_slice(); }
  bool is_whole(int64_t slice) const { return slice * kSliceSteps >= begin_ && (slice + 1) * kSliceSteps <= end_; }

  /// Finds the block of A in memory, or copies it to slices [slice][row][kTileBytes]. Where a slice has rows of other
  /// blocks, writes zeros.
  void find_a() {
    if (begin_ == end_) return;
    for (const int64_t slice : {first_slice(), end_slice() - 1}) {
      if (!is_whole(slice)) std::memset(a_ + (slice - first_slice()) * kSliceBytes, 0, kSliceBytes);
    }
    for (int64_t step = begin_; step < end_;) {
      const int64_t tap = (step - s_.b_row) / tap_steps_, tap_begin = s_.b_row + tap * tap_steps_;
      const int64_t slice_end = least((step / kSliceSteps + 1) * kSliceSteps, end_);
      const int64_t end = least(tap_begin + tap_steps_, slice_end);
      const auto rows = s_.a + tap * s_.rows;
      if (step == tap_begin || step == begin_) find_pitches(rows);
      find_part(step, end - step, rows, s_.a_offset + (step - tap_begin) * Type::kUnit);
      step = end;
    }
  }

  /// Finds the distance between the rows of a tap, for each half of them. Zero: they are copied.
  void find_pitches(const typename Type::A* const* rows) {
    for (int half = 0; half < 2; ++half) {
      const int first = half * kTileRows, count = rows_of(half);
      pitch_[half] = count > 1 ? equal_distance(rows + first, count) : count > 0 ? kTileBytes : 0;
      if (pitch_[half] % kConflictBytes == 0) pitch_[half] = 0;
    }
  }
  int rows_of(int half) const {
    const int64_t rows = least(s_.rows - half * kTileRows, kTileRows);
    return rows > 0 ? int(rows) : 0;
  }
  static int64_t least(int64_t x, int64_t y) { return x < y ? x : y; }

  /// Returns the distance in bytes between each row and the next, or zero if there are several distances.
  static int64_t equal_distance(const typename Type::A* const* rows, int count) {
    const auto distance = [&](int i) {
      return reinterpret_cast<intptr_t>(rows[i + 1]) - reinterpret_cast<intptr_t>(rows[i]);
    };
    const int64_t first = distance(0);
    int64_t others = 0;
    for (int i = 1; i + 1 < count; ++i) others |= distance(i) ^ first;
    return others == 0 ? first : 0;
  }

  /// Finds `steps` steps of a slice in the rows of a tap.
  void find_part(int64_t step, int64_t steps, const typename Type::A* const* rows, int64_t offset) {
    const int64_t slice = step / kSliceSteps - first_slice();
    for (int half = 0; half < 2; ++half) {
      const int first = half * kTileRows;
      if (steps == kSliceSteps && pitch_[half] != 0) {
        slices_[slice][half] = {reinterpret_cast<const std::byte*>(rows[first] + offset), pitch_[half]};
        continue;
      }
      std::byte* const copy = a_ + slice * kSliceBytes + half * kTileRows * kTileBytes;
      slices_[slice][half] = {copy, kTileBytes};
      copy_rows(rows + first, rows_of(half), offset, steps, copy + step % kSliceSteps * kStepBytes);
    }
  }

  static void copy_rows(const typename Type::A* const* rows, int count, int64_t offset, int64_t steps, std::byte* to) {
    const auto copy = [&](auto bytes) __attribute__((always_inline)) {
      for (int i = 0; i < count; ++i) {
        copy_bytes(to + i * kTileBytes, reinterpret_cast<const std::byte*>(rows[i] + offset), bytes);
      }
    };
    steps == kSliceSteps ? copy(std::integral_constant<int64_t, kTileBytes>()) : copy(steps * kStepBytes);
  }

  template <int NV>
  void run_columns(TileJob<Type>& job) {
    s_.rows > kTileRows ? run_tile<2, NV>(job) : run_tile<1, NV>(job);
  }

  /// The order does not matter in which integers are added, so their sums begin with what is added to them.
  template <int kHalves, int NV>
  void run_tile(TileJob<Type>& job) {
    const bool whole = job.last_lanes == Tile::kLanes;
    if constexpr (std::is_integral_v<Y>) {
      if (whole || !job.accumulate) {
        begin_sums<kHalves, NV>(job, whole);
        multiply<kHalves, NV>(job);
        whole ? store_sums<kHalves, NV>(s_.y + job.column, s_.y_pitch) : store_part<kHalves, NV>(job);
        job.y = s_.y + job.column;
        if (waits<Tile>(job)) apply_epilogue<Tile>(job, s_.rows, NV);
        return;
      }
    }
    zero_sums<kHalves, NV>();
    multiply<kHalves, NV>(job);
    store_sums<kHalves, NV>(sums_, NV * Tile::kLanes);
    finish_rows<NV>(job);
  }

  template <int kHalves, int NV>
  void begin_sums(const TileJob<Type>& job, bool whole) {
    const Y* bias = job.epilogue->bias ? job.epilogue->bias + job.column : nullptr;
    if (job.accumulate) {
      load_sums<kHalves, NV>(s_.y + job.column, s_.y_pitch);
    } else if (bias && whole) {
      load_sums<kHalves, NV>(bias, 0);
    } else if (bias) {
      LINNET_UNROLL for (int v = 0; v < NV; ++v) {
        Tile::store(sums_ + v * Tile::kLanes, load_columns<Tile, NV>(bias, v, job.last_lanes));
      }
      load_sums<kHalves, NV>(sums_, 0);
    } else {
      zero_sums<kHalves, NV>();
    }
  }

  /// Stores sums of which the last vector is partial.
  template <int kHalves, int NV>
  void store_part(const TileJob<Type>& job) {
    store_sums<kHalves, NV>(sums_, NV * Tile::kLanes);
    Y* y = s_.y + job.column;
    for (int i = 0; i < s_.rows; ++i, y += s_.y_pitch) {
      LINNET_UNROLL for (int v = 0; v < NV; ++v) {
        store_columns<Tile, NV>(y, v, job.last_lanes, Tile::load(sums_ + (i * NV + v) * Tile::kLanes));
      }
    }
  }

  template <int kHalves, int NV>
  void multiply(const TileJob<Type>& job) {
    const auto* b = reinterpret_cast<const std::byte*>(job.b);
    const int64_t pitch = job.b_pitch * int64_t{sizeof(typename Type::B)};
    const RowPart(*a)[2] = slices_;
    for (int64_t slice = first_slice(), end = end_slice(); slice < end; ++slice, ++a) {
      if (is_whole(slice)) {
        add_slice<kHalves, NV>(*a, b + slice * kSliceSteps * pitch, pitch);
      } else {
        copy_b(b, pitch, slice, NV * kVectorBytes);
        add_slice<kHalves, NV>(*a, b_, NV * kVectorBytes);
      }
    }
  }

  template <int kHalves, int NV>
  [[gnu::always_inline]] static void add_slice(const RowPart (&a)[2], const std::byte* b, int64_t b_pitch) {
    Tiles::template load<6>(b, b_pitch);
    Tiles::template load<4>(a[0].rows, a[0].pitch);
    Tiles::template multiply_add<0, 4, 6>();
    if constexpr (NV == 2) {
      Tiles::template load<7>(b + kVectorBytes, b_pitch);
      Tiles::template multiply_add<1, 4, 7>();
    }
    if constexpr (kHalves == 2) {
      Tiles::template load<5>(a[1].rows, a[1].pitch);
      Tiles::template multiply_add<2, 5, 6>();
      if constexpr (NV == 2) Tiles::template multiply_add<3, 5, 7>();
    }
  }

  /// Copies `bytes` bytes of each row of a slice that is multiplied. The other rows, which may be beyond the panel or
  /// not finite, become zero.
  void copy_b(const std::byte* b, int64_t pitch, int64_t slice, int64_t bytes) {
    for (int64_t i = 0; i < kSliceSteps; ++i) {
      const int64_t row = slice * kSliceSteps + i;
      if (row >= begin_ && row < end_) {
        std::memcpy(b_ + i * bytes, b + row * pitch, size_t(bytes));
      } else {
        std::memset(b_ + i * bytes, 0, size_t(bytes));
      }
    }
  }

  /// Adds the sums to what they begin with, and stores them.
  template <int NV>
  void finish_rows(TileJob<Type>& job) const {
    const Y* sums = sums_;
    for (int i = 0; i < s_.rows; ++i, sums += NV * Tile::kLanes) {
      job.row = i;
      job.y = s_.y + i * s_.y_pitch + job.column;
      typename Tile::Vector sum[1][NV];
      begin<Tile>(job, sum);
      LINNET_UNROLL for (int v = 0; v < NV; ++v) sum[0][v] = sum[0][v] + Tile::load(sums + v * Tile::kLanes);
      finish<Tile>(job, sum);
    }
  }

  const GemmStrip<Type>& s_;
  int64_t tap_steps_;
  int64_t begin_ = 0, end_ = 0;  ///< the rows of the panels that are multiplied now
  int64_t pitch_[2] = {};        ///< see find_pitches()
  RowPart slices_[kBlockSlices][2];
  alignas(64) std::byte a_[kBlockSlices * kSliceBytes];
  alignas(64) std::byte b_[kSliceSteps * 2 * kVectorBytes];
  alignas(64) Y sums_[kRows * 2 * Tile::kLanes];
};

template <class Tile, class Tiles>
void fill_amx(GemmKernels<typename Tile::Type>& kernels) {
  using Strip = AmxStrip<Tile, Tiles>;
  kernels.lanes = Tile::kLanes;
  for (int vectors = 1; vectors <= kWidestPanel; ++vectors) {
    kernels.tile_rows[vectors - 1] = vectors <= 2 ? Strip::kRows : 0;
    kernels.unroll[vectors - 1] = 1;
  }
  kernels.strip_rows = Strip::kRows;
  kernels.held_rows = Strip::kRows;
  kernels.unit = Tile::Type::kUnit;
  kernels.value_bytes = int(sizeof(typename Tile::Type::B));
  kernels.vector_bytes = Tile::kLanes * int(sizeof(typename Tile::Type::Sum));
  kernels.exact = std::is_integral_v<typename Tile::Type::Sum>;
  kernels.slice_steps = Strip::kSliceSteps;
  kernels.strip = Strip::run;
  kernels.saturate = Strip::saturate;
}

}  // namespace
}  // namespace linnet::LINNET_SIMD_NS
