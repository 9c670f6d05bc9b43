#include "kernels/nbits_tile.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

constexpr int kRows = kRegisters == 32 ? 12 : 4;

constexpr int32_t kMagic = 0x4b000000;  // 2^23: its lowest bits, where codes are put, count by one

/// kMagic plus the zero points of a block.
inline F32 load_zeros(const NBitsForm& form, const std::byte* b) {
  const F32 magic = float_of(I32(kMagic));
  if (form.zeros == NBitsZeros::kBytes) return magic + to_floats(widen_bytes(b));
  return magic + F32(float(1 << (form.bits - 1)));
}

/// The codes at `shift` less zero points.
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
  /// Blocks that are multiplied side by side: sums over one alone wait for each other.
  static constexpr int kTogether = MR == 1 ? 2 : 1;

  /// Adds the products of C blocks to `total`, one after the other.
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
    t.form->zeros == NBitsZeros::kFloats ? run_blocks<true>(t) : run_blocks<false>(t);
  }
};

}  // namespace

void fill(NBitsFloatKernels& kernels);
void fill(NBitsFloatKernels& kernels) { kernels = {kLanes, kRows, kHalfScales, multiply<FloatTile, float, kRows>}; }

}  // namespace linnet::LINNET_SIMD_NS
