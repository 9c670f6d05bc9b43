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

  static constexpr int kStepBytes = 4;
  static constexpr int64_t kSliceSteps = kTileBytes / kStepBytes;
  static constexpr int64_t kBlockSlices = 16;  // slices of A, which stay in the first-level cache while B is read
  static constexpr int64_t kBlockSteps = kBlockSlices * kSliceSteps;
  static constexpr int64_t kVectorBytes = Tile::kLanes * kStepBytes;

 public:
  static constexpr int kRows = 2 * kTileRows;

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

  /// Multiplies rows [begin, end) of the panels, all of one block.
  void run_block(int64_t begin, int64_t end, bool last) {
    begin_ = begin;
    end_ = end;
    copy_a();
    const GemmPanels& p = *s_.panels;
    const int64_t first_column = p.first_column(s_.panel), end_column = p.end_column(s_.panel_end);
    const BasicEpilogue<Y> epilogue = s_.epilogue.of_block(begin == s_.b_row, last);
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

  std::byte* a_slice(int64_t slice) { return a_ + slice * kRows * kTileBytes; }
  int64_t first_slice() const { return begin_ / kSliceSteps; }
  int64_t end_slice() const { return begin_ < end_ ? ceil_div(end_, kSliceSteps) : first_slice(); }
  bool is_whole(int64_t slice) const { return slice * kSliceSteps >= begin_ && (slice + 1) * kSliceSteps <= end_; }

  /// Copies the block of A into slices [slice][row][kTileBytes]. Where a slice has rows of other blocks, writes zeros.
  void copy_a() {
    if (begin_ == end_) return;
    for (const int64_t slice : {first_slice(), end_slice() - 1}) {
      if (!is_whole(slice)) std::memset(a_slice(slice - first_slice()), 0, kRows * kTileBytes);
    }
    for (int64_t step = begin_; step < end_;) {
      const int64_t tap = (step - s_.b_row) / tap_steps_, tap_begin = s_.b_row + tap * tap_steps_;
      int64_t end = tap_begin + tap_steps_;
      if (end > end_) end = end_;
      for (int i = 0; i < s_.rows; ++i) {
        const typename Type::A* row = s_.a[tap * s_.rows + i] + s_.a_offset + (step - tap_begin) * Type::kUnit;
        copy_row(i, step - first_slice() * kSliceSteps, end - step, reinterpret_cast<const std::byte*>(row));
      }
      step = end;
    }
  }
  void copy_row(int i, int64_t step, int64_t steps, const std::byte* from) {
    while (steps > 0) {
      const int64_t at = step % kSliceSteps, rest = kSliceSteps - at, here = steps < rest ? steps : rest;
      copy_bytes(a_slice(step / kSliceSteps) + i * kTileBytes + at * kStepBytes, from, here * kStepBytes);
      step += here;
      steps -= here;
      from += here * kStepBytes;
    }
  }

  template <int NV>
  void run_columns(TileJob<Type>& job) {
    s_.rows > kTileRows ? multiply<2, NV>(job) : multiply<1, NV>(job);
    store<NV>(job);
  }

  template <int kHalves, int NV>
  void multiply(const TileJob<Type>& job) {
    const auto* b = reinterpret_cast<const std::byte*>(job.b);
    const int64_t pitch = job.b_pitch * int64_t{sizeof(typename Type::B)};
    zero_sums<kHalves, NV>();
    for (int64_t slice = first_slice(); slice < end_slice(); ++slice) {
      const std::byte* a = a_slice(slice - first_slice());
      if (is_whole(slice)) {
        add_slice<kHalves, NV>(a, b + slice * kSliceSteps * pitch, pitch);
      } else {
        copy_b(b, pitch, slice, NV * kVectorBytes);
        add_slice<kHalves, NV>(a, b_, NV * kVectorBytes);
      }
    }
    constexpr int64_t kPitch = NV * kVectorBytes;
    auto* sums = reinterpret_cast<std::byte*>(sums_);
    Tiles::template store<0>(sums, kPitch);
    if constexpr (NV == 2) Tiles::template store<1>(sums + kVectorBytes, kPitch);
    if constexpr (kHalves == 2) Tiles::template store<2>(sums + kTileRows * kPitch, kPitch);
    if constexpr (kHalves == 2 && NV == 2) {
      Tiles::template store<3>(sums + kTileRows * kPitch + kVectorBytes, kPitch);
    }
  }

  template <int kHalves, int NV>
  [[gnu::always_inline]] static void add_slice(const std::byte* a, const std::byte* b, int64_t b_pitch) {
    Tiles::template load<6>(b, b_pitch);
    Tiles::template load<4>(a, kTileBytes);
    Tiles::template multiply_add<0, 4, 6>();
    if constexpr (NV == 2) {
      Tiles::template load<7>(b + kVectorBytes, b_pitch);
      Tiles::template multiply_add<1, 4, 7>();
    }
    if constexpr (kHalves == 2) {
      Tiles::template load<5>(a + kTileRows * kTileBytes, kTileBytes);
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

  template <int NV>
  void store(TileJob<Type>& job) const {
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
  alignas(64) std::byte a_[kBlockSlices * kRows * kTileBytes];
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
  kernels.strip = Strip::run;
  kernels.saturate = Strip::saturate;
}

}  // namespace
}  // namespace linnet::LINNET_SIMD_NS
