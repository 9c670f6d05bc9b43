#include "kernels/nbits_s8.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

struct Dot {
  static constexpr int kRows = 12;
  static constexpr int kOffset = 128;

  template <int kBits>
  [[gnu::always_inline]] static Ints add(Ints sum, const Codes (&codes)[8 / kBits], const int8_t* a, int64_t pitch) {
    auto result = __builtin_bit_cast(int32x4_t, sum);
    LINNET_UNROLL for (int g = 0; g < 8 / kBits; ++g) {
      const auto four = vreinterpretq_s8_s32(vld1q_dup_s32(reinterpret_cast<const int32_t*>(a + g * pitch)));
      result = vdotq_s32(result, __builtin_bit_cast(int8x16_t, codes[g]), four);
    }
    return __builtin_bit_cast(Ints, result);
  }
};

}  // namespace

void fill(NBitsByteKernels& kernels);
void fill(NBitsByteKernels& kernels) { fill_bytes<Dot>(kernels); }

}  // namespace linnet::LINNET_SIMD_NS
