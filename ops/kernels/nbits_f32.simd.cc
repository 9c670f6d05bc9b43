#include "kernels/nbits_tile.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

/// Rows of the highest tile. More rows are multiplied by unpacked panels, except for the most common weights.
constexpr int kRows = 4, kRowsOf4Bits = kRegisters == 32 ? 12 : 8;

constexpr int32_t kMagic = 0x4b000000;  // the float 2^23; its lowest bit, where codes begin, has the value 1

/// Returns kMagic plus the zero points of a block.
inline F32 load_zeros(const NBitsForm& form, const std::byte* b) {
  const F32 magic = float_of(I32(kMagic));
  if (form.zeros == NBitsZeros::kBytes) return magic + to_floats(widen_bytes(b));
  return magic + F32(float(1 << (form.bits - 1)));
}

/// Returns the codes at bit `shift` less the zero points.
template <int kBits, bool kFloatZeros>
[[gnu::always_inline]] inline F32 weights_at(Ints codes, int shift, F32 zeros) {
  typedef uint32_t Unsigned __attribute__((vector_size(4 * kLanes)));
  const Unsigned bits = (Unsigned(codes) >> uint32_t(shift)) & uint32_t((1 << kBits) - 1);
  const F32 code = __builtin_bit_cast(F32, bits | uint32_t(kMagic));
  if constexpr (kFloatZeros) return (code - float_of(I32(kMagic))) - zeros;
  return code - zeros;
}

template <int kBits, int MR>
struct FloatTile {
  /// The number of blocks that are multiplied at the same time. With one block alone, its sums wait for each other.
  static constexpr int kTogether = MR == 1 ? 2 : 1;

  /// Adds the products of C blocks to `total`, in order.
  template <bool kFloatZeros, int C>
  [[gnu::always_inline]] static void add_blocks(const NBitsForm& form, const std::byte* b, const float* a,
                                                F32 (&total)[MR]) {
    const int64_t code_bytes = form.code_bytes(), pitch = form.block_bytes(), a_pitch = int64_t{form.block} * MR;
    F32 part[C][MR], zeros[C];
    LINNET_UNROLL for (int c = 0; c < C; ++c) {
      const std::byte* zero = b + c * pitch + code_bytes + form.scale_bytes();
      zeros[c] = kFloatZeros ? load_floats(zero) : load_zeros(form, zero);
      LINNET_UNROLL for (int i = 0; i < MR; ++i) part[c][i] = F32(0.0f);
    }
    for (int64_t at = 0; at < code_bytes; at += kVectorBytes) {
      Ints codes[C];
      LINNET_UNROLL for (int c = 0; c < C; ++c) {
        __builtin_prefetch(b + c * pitch + at + kNBitsAhead);
        codes[c] = __builtin_bit_cast(Ints, load_codes(b + c * pitch + at));
      }
      LINNET_UNROLL for (int g = 0; g < 8 / kBits; ++g) {
        LINNET_UNROLL for (int j = 0; j < 4; ++j, a += MR) {
          LINNET_UNROLL for (int c = 0; c < C; ++c) {
            const F32 w = weights_at<kBits, kFloatZeros>(codes[c], 8 * j + kBits * g, zeros[c]);
            LINNET_UNROLL for (int i = 0; i < MR; ++i) {
              part[c][i] = xsimd::fma(w, F32(a[c * a_pitch + i]), part[c][i]);
            }
          }
        }
      }
    }
    LINNET_UNROLL for (int c = 0; c < C; ++c) {
      const F32 scales = load_scales(b + c * pitch + code_bytes, form.half_scales);
      LINNET_UNROLL for (int i = 0; i < MR; ++i) total[i] = xsimd::fma(part[c][i], scales, total[i]);
    }
  }

  template <bool kFloatZeros>
  [[gnu::always_inline]] static void run_blocks(const NBitsTile<float>& t) {
    const NBitsForm form = *t.form;
    const int64_t pitch = form.block_bytes(), a_pitch = int64_t{form.block} * MR;
    F32 total[MR];
    LINNET_UNROLL for (int i = 0; i < MR; ++i) total[i] = F32(0.0f);
    int64_t block = 0;
    for (; block + kTogether <= form.blocks; block += kTogether) {
      add_blocks<kFloatZeros, kTogether>(form, t.b + block * pitch, t.a + block * a_pitch, total);
    }
    if constexpr (kTogether > 1) {
      for (; block < form.blocks; ++block) {
        add_blocks<kFloatZeros, 1>(form, t.b + block * pitch, t.a + block * a_pitch, total);
      }
    }
    LINNET_UNROLL for (int i = 0; i < MR; ++i) finish(t, i, total[i]);
  }

  static void run(const NBitsTile<float>& t) {
    if constexpr (MR <= kRows) {
      if (t.form->zeros == NBitsZeros::kFloats) return run_blocks<true>(t);
    }
    run_blocks<false>(t);
  }
};

void multiply_floats(const NBitsTile<float>& tile) {
  constexpr std::make_integer_sequence<int, kRows> kFew;
  if (tile.form->bits == 4)
    return multiply_rows<FloatTile, float, 4>(tile, std::make_integer_sequence<int, kRowsOf4Bits>());
  if (tile.form->bits == 2) return multiply_rows<FloatTile, float, 2>(tile, kFew);
  multiply_rows<FloatTile, float, 8>(tile, kFew);
}

template <int kBits, bool kFloatZeros>
void unpack_codes(const std::byte* b, int64_t code_bytes, F32 zeros, int64_t pitch, float* codes) {
  for (int64_t at = 0; at < code_bytes; at += kVectorBytes) {
    const auto packed = __builtin_bit_cast(Ints, load_codes(b + at));
    LINNET_UNROLL for (int g = 0; g < 8 / kBits; ++g) {
      LINNET_UNROLL for (int j = 0; j < 4; ++j, codes += pitch) {
        store(codes, weights_at<kBits, kFloatZeros>(packed, 8 * j + kBits * g, zeros));
      }
    }
  }
}

template <int kBits>
void unpack_blocks(const NBitsForm& form, const std::byte* b, int64_t blocks, int64_t pitch, float* codes,
                   float* scales) {
  for (; blocks > 0; --blocks, b += form.block_bytes(), codes += form.block * pitch, scales += pitch) {
    const std::byte* zeros = b + form.code_bytes() + form.scale_bytes();
    store(scales, load_scales(b + form.code_bytes(), form.half_scales));
    if (form.zeros == NBitsZeros::kFloats) {
      unpack_codes<kBits, true>(b, form.code_bytes(), load_floats(zeros), pitch, codes);
    } else {
      unpack_codes<kBits, false>(b, form.code_bytes(), load_zeros(form, zeros), pitch, codes);
    }
  }
}

void unpack(const NBitsForm& form, const std::byte* b, int64_t blocks, int64_t pitch, float* codes, float* scales) {
  if (form.bits == 2) return unpack_blocks<2>(form, b, blocks, pitch, codes, scales);
  if (form.bits == 4) return unpack_blocks<4>(form, b, blocks, pitch, codes, scales);
  unpack_blocks<8>(form, b, blocks, pitch, codes, scales);
}

template <int V, int MR>
void multiply_unpacked_rows(const NBitsUnpackedTile& t) {
  const float *a = t.a, *b = t.codes, *scales = t.scales;
  float* const totals = t.totals;
  for (int64_t block = 0; block < t.blocks; ++block, scales += V * kLanes) {
    F32 part[MR][V];
    LINNET_UNROLL for (int i = 0; i < MR; ++i) { LINNET_UNROLL for (int v = 0; v < V; ++v) part[i][v] = F32(0.0f); }
    for (int k = 0; k < t.form->block; ++k, a += MR, b += V * kLanes) {
      F32 w[V];
      LINNET_UNROLL for (int v = 0; v < V; ++v) w[v] = load(b + v * kLanes);
      LINNET_UNROLL for (int i = 0; i < MR; ++i) {
        const F32 x(a[i]);
        LINNET_UNROLL for (int v = 0; v < V; ++v) part[i][v] = xsimd::fma(w[v], x, part[i][v]);
      }
    }
    LINNET_UNROLL for (int v = 0; v < V; ++v) {
      const F32 scale = load(scales + v * kLanes);
      LINNET_UNROLL for (int i = 0; i < MR; ++i) {
        float* total = totals + (i * V + v) * kLanes;
        store(total, xsimd::fma(part[i][v], scale, load(total)));
      }
    }
  }
}

/// Two vectors of each row provide enough independent sums. More would delay the end of every block.
constexpr int kUnpackedRows = kRegisters == 32 ? 8 : 4;

template <int V, int... kRow>
void multiply_unpacked_panels(const NBitsUnpackedTile& tile, std::integer_sequence<int, kRow...>) {
  static constexpr void (*kTiles[])(const NBitsUnpackedTile&) = {multiply_unpacked_rows<V, kRow + 1>...};
  kTiles[tile.rows - 1](tile);
}

void multiply_unpacked(const NBitsUnpackedTile& tile) {
  constexpr std::make_integer_sequence<int, kUnpackedRows> kAll;
  tile.panels == 2 ? multiply_unpacked_panels<2>(tile, kAll) : multiply_unpacked_panels<1>(tile, kAll);
}

}  // namespace

void fill(NBitsFloatKernels& kernels);
void fill(NBitsFloatKernels& kernels) {
  kernels = {.lanes = kLanes,
             .rows = kRows,
             .rows_of_4bits = kRowsOf4Bits,
             .half_scales = kHalfScales,
             .multiply = multiply_floats,
             .unpacked_rows = kUnpackedRows,
             .unpack = unpack,
             .multiply_unpacked = multiply_unpacked};
}

}  // namespace linnet::LINNET_SIMD_NS
