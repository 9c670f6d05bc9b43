#include "kernels/order.h"

#include "kernels/simd.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

// The following functions have no branches, so that compilers vectorise the loops.

/// Returns the key of a float. The bits have the order of integers once those of negative numbers are inverted.
template <class Bits, Bits kInfinity, class T>
inline Bits key_of(T value) {
  constexpr Bits kSign = Bits(1) << (8 * sizeof(Bits) - 1);
  const auto bits = __builtin_bit_cast(Bits, value);
  const Bits magnitude = bits & ~kSign;
  const Bits negative = (magnitude != 0) & (bits >= kSign) ? ~Bits(0) : Bits(0);
  const Bits key = (magnitude ^ negative) ^ kSign;
  return magnitude > kInfinity ? ~Bits(0) : key;
}

void keys_f32(const float* __restrict x, uint32_t* __restrict keys, int64_t n) {
  for (int64_t i = 0; i < n; ++i) keys[i] = key_of<uint32_t, 0x7f800000u>(x[i]);
}

void keys_f64(const double* __restrict x, uint64_t* __restrict keys, int64_t n) {
  for (int64_t i = 0; i < n; ++i) keys[i] = key_of<uint64_t, 0x7ff0000000000000u>(x[i]);
}

template <class Key>
inline Key lesser(Key a, Key b) {
  return a < b ? a : b;
}

template <class Key>
void group_minima(const Key* __restrict keys, int64_t n, int64_t groups, Key* __restrict minima) {
  for (int64_t g = 0; g < groups; ++g) minima[g] = keys[g];
  for (int64_t i = groups; i < n; i += groups) {
    const int64_t count = n - i < groups ? n - i : groups;
    for (int64_t g = 0; g < count; ++g) minima[g] = lesser(minima[g], keys[i + g]);
  }
}

template <class Key>
int64_t find(const Key* keys, int64_t n, Key most, int32_t* positions) {
  constexpr int64_t kBlock = 32;
  int64_t count = 0, i = 0;
  const auto append = [&](int64_t end) {
    for (; i < end; ++i) {
      positions[count] = int32_t(i);
      count += keys[i] <= most ? 1 : 0;
    }
  };
  while (i + kBlock <= n) {
    Key least = keys[i];
    for (int64_t k = 0; k < kBlock; ++k) least = lesser(least, keys[i + k]);
    if (least > most)
      i += kBlock;
    else
      append(i + kBlock);
  }
  append(n);
  return count;
}

template <class Key>
constexpr KeySelection<Key> kSelection{group_minima<Key>, find<Key>};

}  // namespace

void fill(OrderKernels& k);

void fill(OrderKernels& k) {
  k.keys_f32 = keys_f32;
  k.keys_f64 = keys_f64;
  k.narrow = kSelection<uint32_t>;
  k.wide = kSelection<uint64_t>;
}

}  // namespace linnet::LINNET_SIMD_NS
