#include "elementwise/half_bits.h"

#include <algorithm>

namespace linnet {
namespace {

constexpr uint16_t kSign = 0x8000, kMagnitude = 0x7fff;

/// The loop of a captureless function without branches: its values lie in a block of their own, so that compilers make
/// vectors of it.
template <class F>
constexpr HalfFunction of_bits(F) {
  return [](const uint16_t* x, uint16_t* y, int64_t n) {
    constexpr int64_t kBlock = 512;
    uint16_t block[kBlock];
    for (int64_t begin = 0; begin < n; begin += kBlock) {
      const int64_t count = std::min(kBlock, n - begin);
      std::copy_n(x + begin, count, block);
      for (int64_t i = 0; i < count; ++i) y[begin + i] = F{}(block[i]);
    }
  };
}

template <uint16_t kInfinity>
constexpr bool is_number(uint16_t x) {
  return int16_t(x & kMagnitude) <= int16_t{kInfinity};
}

template <uint16_t kOne, uint16_t kInfinity>
HalfFunction function_of(const std::string& name) {
  if (name == "Abs") return of_bits([](uint16_t x) { return uint16_t(x & kMagnitude); });
  if (name == "Neg") return of_bits([](uint16_t x) { return uint16_t(x ^ kSign); });
  if (name == "Relu") {
    return of_bits([](uint16_t x) {
      const bool negative = int16_t(x) < 0 && is_number<kInfinity>(x) && x != kSign;
      return negative ? uint16_t{0} : x;
    });
  }
  if (name == "Sign") {
    return of_bits([](uint16_t x) {
      const bool counts = is_number<kInfinity>(x) && (x & kMagnitude) != 0;
      return counts ? uint16_t((x & kSign) | kOne) : x;
    });
  }
  return nullptr;
}

}  // namespace

HalfFunction half_function(const ElementwiseChain& chain, std::span<const DType> dtypes) {
  const auto& links = chain.links;
  if (chain.inputs != 1 || links.size() != 3 || links[0].op != kWidenLink || dtypes.front() != dtypes.back()) {
    return nullptr;
  }
  return dtypes.front() == DType::kFloat16 ? function_of<0x3c00, 0x7c00>(links[1].op)
                                           : function_of<0x3f80, 0x7f80>(links[1].op);
}

}  // namespace linnet
