#include "kernels/half_bits.h"

#include "kernels/independent.h"
#include "kernels/simd.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

constexpr uint16_t kSign = 0x8000, kMagnitude = 0x7fff;

/// Returns the loop over a captureless function without branches, so that compilers vectorise it.
template <class F>
constexpr HalfFunction of_bits(F) {
  return [](const uint16_t* x, uint16_t* y, int64_t n) {
    LINNET_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) y[i] = F{}(x[i]);
  };
}

template <uint16_t kInfinity>
inline bool is_number(uint16_t x) {
  return int16_t(x & kMagnitude) <= int16_t{kInfinity};
}

/// The functions for the type whose 1 and infinity have these bits. NaN stays NaN.
template <uint16_t kOne, uint16_t kInfinity>
constexpr HalfFunctions kFunctions{
    of_bits([](uint16_t x) { return uint16_t(x & kMagnitude); }),
    of_bits([](uint16_t x) { return uint16_t(x ^ kSign); }),
    of_bits([](uint16_t x) {
      const bool negative = (int16_t(x) < 0) & is_number<kInfinity>(x) & (x != kSign);
      return negative ? uint16_t{0} : x;
    }),
    of_bits([](uint16_t x) {
      const bool counts = is_number<kInfinity>(x) & ((x & kMagnitude) != 0);
      return counts ? uint16_t((x & kSign) | kOne) : x;
    }),
};

}  // namespace

void fill(HalfBitsKernels& k);

void fill(HalfBitsKernels& k) { k = {kFunctions<0x3c00, 0x7c00>, kFunctions<0x3f80, 0x7f80>}; }

}  // namespace linnet::LINNET_SIMD_NS
