#include "kernels/random.h"

#include "kernels/simd.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

constexpr int64_t kBlock = 64;
constexpr int kRounds = 10;

/// The words of kBlock counters, each in the lower half of an element.
struct Words {
  alignas(64) uint64_t word[4][kBlock];
};

/// Has no branches, so that compilers vectorise the loop.
inline void shuffle_words(Words& w, uint32_t key0, uint32_t key1) {
  for (int64_t i = 0; i < kBlock; ++i) {
    const uint64_t a = uint64_t{0xD2511F53} * uint32_t(w.word[0][i]), b = uint64_t{0xCD9E8D57} * uint32_t(w.word[2][i]);
    w.word[0][i] = (b >> 32) ^ w.word[1][i] ^ key0;
    w.word[1][i] = uint32_t(b);
    w.word[2][i] = (a >> 32) ^ w.word[3][i] ^ key1;
    w.word[3][i] = uint32_t(a);
  }
}

/// Returns the upper 53 bits of two words as a fraction. The upper 52 bits and the lowest bit are exact differences.
inline double to_unit(uint64_t high, uint64_t low) {
  const uint64_t bits = (high << 32 | low) >> 11;
  const double upper = __builtin_bit_cast(double, uint64_t{0x3ff0000000000000} | bits >> 1) - 1.0;
  const double lowest = __builtin_bit_cast(double, uint64_t{0x3ff0000000000000} | (bits & 1) << 51) - 1.0;
  return upper + lowest * 0x1p-52;
}

void uniform_pairs(uint64_t key, uint64_t run, uint64_t first, int64_t n, double* u, double* v) {
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    Words w;
    for (int64_t i = 0; i < kBlock; ++i) {
      const uint64_t counter = first + uint64_t(begin + i);
      w.word[0][i] = uint32_t(counter);
      w.word[1][i] = counter >> 32;
      w.word[2][i] = uint32_t(run);
      w.word[3][i] = run >> 32;
    }
    uint32_t key0 = uint32_t(key), key1 = uint32_t(key >> 32);
    for (int round = 0; round < kRounds; ++round, key0 += 0x9E3779B9, key1 += 0xBB67AE85) shuffle_words(w, key0, key1);
    double pair[2][kBlock];
    for (int64_t i = 0; i < kBlock; ++i) {
      pair[0][i] = to_unit(w.word[0][i], w.word[1][i]);
      pair[1][i] = to_unit(w.word[2][i], w.word[3][i]);
    }
    const int64_t count = n - begin < kBlock ? n - begin : kBlock;
    for (int64_t i = 0; i < count; ++i) u[begin + i] = pair[0][i];
    for (int64_t i = 0; i < count; ++i) v[begin + i] = pair[1][i];
  }
}

}  // namespace

void fill(RandomKernels& k);

void fill(RandomKernels& k) { k.uniform_pairs = uniform_pairs; }

}  // namespace linnet::LINNET_SIMD_NS
