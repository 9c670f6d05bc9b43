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
  template <bool kFloatZeros>
  [[gnu::always_inline]] static void multiply_block(const NBitsForm& form, const std::byte* b, const float* a,
                                                    F32 (&part)[MR]) {
    const std::byte* zero = b + form.code_bytes() + form.scale_bytes();
    const F32 zeros = kFloatZeros ? load_floats(zero) : load_zeros(form, zero);
    for (const std::byte* end = b + form.code_bytes(); b < end; b += kVectorBytes) {
      __builtin_prefetch(b + kNBitsAhead);
      const auto codes = __builtin_bit_cast(Ints, load_codes(b));
      LINNET_UNROLL for (int g = 0; g < 8 / kBits; ++g) {
        LINNET_UNROLL for (int j = 0; j < 4; ++j, a += MR) {
          const F32 w = weights_at<kBits, kFloatZeros>(codes, 8 * j + kBits * g, zeros);
          LINNET_UNROLL for (int i = 0; i < MR; ++i) part[i] = xsimd::fma(w, F32(a[i]), part[i]);
        }
      }
    }
  }

  static void run(const NBitsTile<float>& t) {
    const NBitsForm form = *t.form;
    const std::byte* b = t.b;
    const float* a = t.a;
    F32 total[MR];
    LINNET_UNROLL for (int i = 0; i < MR; ++i) total[i] = F32(0.0f);
    for (int64_t block = 0; block < form.blocks; ++block, b += form.block_bytes(), a += form.block * MR) {
      F32 part[MR];
      LINNET_UNROLL for (int i = 0; i < MR; ++i) part[i] = F32(0.0f);
      if (form.zeros == NBitsZeros::kFloats) {
        multiply_block<true>(form, b, a, part);
      } else {
        multiply_block<false>(form, b, a, part);
      }
      const F32 scales = load_scales(b + form.code_bytes(), form.half_scales);
      LINNET_UNROLL for (int i = 0; i < MR; ++i) total[i] = xsimd::fma(part[i], scales, total[i]);
    }
    LINNET_UNROLL for (int i = 0; i < MR; ++i) finish(t, i, total[i]);
  }
};

}  // namespace

void fill(NBitsFloatKernels& kernels);
void fill(NBitsFloatKernels& kernels) { kernels = {kLanes, kRows, kHalfScales, multiply<FloatTile, float, kRows>}; }

}  // namespace linnet::LINNET_SIMD_NS
