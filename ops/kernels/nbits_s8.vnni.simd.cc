#include "kernels/nbits_s8.h"

#include <cstring>

namespace linnet::LINNET_SIMD_NS {
namespace {

/// Codes are the unsigned operand, so that the load can spread the signed one, four values of a row.
struct Dot {
  static constexpr int kRows = kRegisters == 32 ? 8 : 4;
  static constexpr int kOffset = 0;

  template <int kBits>
  [[gnu::always_inline]] static Ints add(Ints sum, const Codes (&codes)[8 / kBits], const int8_t* a, int64_t pitch) {
    LINNET_UNROLL for (int g = 0; g < 8 / kBits; ++g) sum = multiply_add(codes[g], a + g * pitch, sum);
    return sum;
  }

 private:
  // This is assembly because GCC 12 moves and stores the sums around the intrinsics.
  [[gnu::always_inline]] static Ints multiply_add(Codes codes, const int8_t* a, Ints sum) {
#if defined(__AVX512VNNI__)
    asm("vpdpbusd %2%{1to16%}, %1, %0" : "+v"(sum) : "v"(codes), "m"(*reinterpret_cast<const int32_t*>(a)));
#else
    int32_t four;
    std::memcpy(&four, a, sizeof four);
    const Ints spread_four = spread(four);
    asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum) : "x"(codes), "x"(spread_four));
#endif
    return sum;
  }
};

}  // namespace

void fill(NBitsByteKernels& kernels);
void fill(NBitsByteKernels& kernels) { fill_bytes<Dot>(kernels); }

}  // namespace linnet::LINNET_SIMD_NS
