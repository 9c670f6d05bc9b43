#include "kernels/byte_rows.h"

#include "kernels/byte_vectors.h"

namespace linnet::LINNET_SIMD_NS {
namespace {

#if defined(__AVX2__)
#if defined(__AVX512F__)
using Bytes = __m512i;
inline Bytes load_bytes(const void* x) { return _mm512_loadu_si512(x); }
inline void store_bytes(void* y, Bytes v) { _mm512_storeu_si512(y, v); }
inline Bytes four_times(__m128i v) { return _mm512_broadcast_i32x4(v); }
inline Bytes all(int v) { return _mm512_set1_epi8(char(v)); }
inline Bytes subtract_saturated(Bytes a, Bytes b) { return _mm512_subs_epi8(a, b); }
inline Bytes exclusive_or(Bytes a, Bytes b) { return _mm512_xor_si512(a, b); }
inline Bytes shuffle(Bytes table, Bytes x) { return _mm512_shuffle_epi8(table, x); }
#else
using Bytes = __m256i;
inline Bytes load_bytes(const void* x) { return _mm256_loadu_si256(static_cast<const __m256i*>(x)); }
inline void store_bytes(void* y, Bytes v) { _mm256_storeu_si256(static_cast<__m256i*>(y), v); }
inline Bytes four_times(__m128i v) { return _mm256_broadcastsi128_si256(v); }
inline Bytes all(int v) { return _mm256_set1_epi8(char(v)); }
inline Bytes subtract_saturated(Bytes a, Bytes b) { return _mm256_subs_epi8(a, b); }
inline Bytes exclusive_or(Bytes a, Bytes b) { return _mm256_xor_si256(a, b); }
inline Bytes shuffle(Bytes table, Bytes x) { return _mm256_shuffle_epi8(table, x); }
#endif
inline constexpr int64_t kTableBytes = sizeof(Bytes);

/// A table of 256 bytes: two halves of 128 bytes, each in 8 parts of 16. A shuffle gives 0 for indices that are
/// negative as signed bytes. Each part is indexed by the index less the part's start, so that all parts up to the index
/// contribute. They are combined by exclusive or, and therefore each part holds the difference to the previous one.
struct Table {
  Bytes part[16];

  explicit Table(const uint8_t* table) {
    for (int k = 0; k < 16; ++k) {
      const auto* from = reinterpret_cast<const __m128i*>(table) + k;
      const __m128i own = _mm_loadu_si128(from);
      part[k] = four_times(k % 8 == 0 ? own : _mm_xor_si128(own, _mm_loadu_si128(from - 1)));
    }
  }
  Bytes operator()(Bytes x) const {
    const Bytes upper = exclusive_or(x, all(0x80));
    Bytes y = exclusive_or(shuffle(part[0], x), shuffle(part[8], upper));
    LINNET_UNROLL
    for (int k = 1; k < 8; ++k) {
      const Bytes begin = all(16 * k);
      y = exclusive_or(y, shuffle(part[k], subtract_saturated(x, begin)));
      y = exclusive_or(y, shuffle(part[8 + k], subtract_saturated(upper, begin)));
    }
    return y;
  }
};
#elif defined(__aarch64__)
using Bytes = uint8x16_t;
inline Bytes load_bytes(const uint8_t* x) { return vld1q_u8(x); }
inline void store_bytes(uint8_t* y, Bytes v) { vst1q_u8(y, v); }
inline constexpr int64_t kTableBytes = sizeof(Bytes);

struct Table {
  uint8x16x4_t part[4];

  explicit Table(const uint8_t* table) {
    for (int k = 0; k < 4; ++k) part[k] = vld1q_u8_x4(table + 64 * k);
  }
  Bytes operator()(Bytes x) const {
    Bytes y = vqtbl4q_u8(part[0], x);
    LINNET_UNROLL
    for (int k = 1; k < 4; ++k) y = vqtbx4q_u8(y, part[k], vsubq_u8(x, vdupq_n_u8(uint8_t(64 * k))));
    return y;
  }
};
#endif

void look_up(const uint8_t* x, const uint8_t* table, uint8_t* y, int64_t n) {
  int64_t i = 0;
#if defined(__AVX2__) || defined(__aarch64__)
  if (n >= 4 * kTableBytes) {
    const Table vectors(table);
    for (; i + kTableBytes <= n; i += kTableBytes) store_bytes(y + i, vectors(load_bytes(x + i)));
  }
#endif
  for (; i < n; ++i) y[i] = table[x[i]];
}

#if defined(__AVX512F__)
inline Bytes no_bytes() { return _mm512_setzero_si512(); }
inline Bytes add_sums(Bytes sums, Bytes x) { return _mm512_add_epi64(sums, _mm512_sad_epu8(x, no_bytes())); }
#elif defined(__AVX2__)
inline Bytes no_bytes() { return _mm256_setzero_si256(); }
inline Bytes add_sums(Bytes sums, Bytes x) { return _mm256_add_epi64(sums, _mm256_sad_epu8(x, no_bytes())); }
#endif

int32_t sum_of(const uint8_t* x, int64_t n) {
  int64_t i = 0;
  int32_t sum = 0;
#if defined(__AVX2__)
  Bytes sums = no_bytes();
  for (; i + kTableBytes <= n; i += kTableBytes) sums = add_sums(sums, load_bytes(x + i));
  alignas(64) int64_t parts[kTableBytes / 8];
  store_bytes(parts, sums);
  for (const int64_t part : parts) sum += int32_t(part);
#elif defined(__aarch64__)
  uint32x4_t sums = vdupq_n_u32(0);
  for (; i + kTableBytes <= n; i += kTableBytes) sums = vpadalq_u16(sums, vpaddlq_u8(load_bytes(x + i)));
  sum = int32_t(vaddvq_u32(sums));
#endif
  for (; i < n; ++i) sum += x[i];
  return sum;
}

void sum_rows(const uint8_t* x, int64_t rows, int64_t n, int32_t* sums) {
  for (int64_t i = 0; i < rows; ++i) sums[i] = sum_of(x + i * n, n);
}

/// Widens kCount values.
template <int kCount>
[[gnu::always_inline]] inline void widen_vector(const uint8_t* x, uint8_t flip, uint16_t less, int16_t* y) {
  using Wide = typename VectorOf<uint16_t, kCount>::Type;
  typename VectorOf<uint8_t, kCount>::Type bytes;
  std::memcpy(&bytes, x, sizeof bytes);
  const Wide words = (__builtin_convertvector(bytes, Wide) ^ uint16_t(flip)) - less;
  std::memcpy(y, &words, sizeof words);
}

/// Widens n >= kCount values. The last vector ends at the last value and may overlap the one before it.
template <int kCount>
void widen_vectors(const uint8_t* x, int64_t n, uint8_t flip, uint16_t less, int16_t* y) {
  for (int64_t i = 0; i + kCount <= n; i += kCount) widen_vector<kCount>(x + i, flip, less, y + i);
  if (n % kCount > 0) widen_vector<kCount>(x + n - kCount, flip, less, y + n - kCount);
}

void widen_less(const uint8_t* x, int64_t n, uint8_t flip, int16_t zero, int16_t* y) {
  constexpr int kWide = 2 * kLanes, kShort = 8;
  const auto less = uint16_t(zero);
  if (n >= kWide) return widen_vectors<kWide>(x, n, flip, less, y);
  if (n >= kShort) return widen_vectors<kShort>(x, n, flip, less, y);
  for (int64_t i = 0; i < n; ++i) y[i] = int16_t(uint16_t(uint16_t(x[i] ^ flip) - less));
}

}  // namespace

void fill(ByteRowKernels& kernels);
void fill(ByteRowKernels& kernels) { kernels = {look_up, sum_rows, widen_less}; }

}  // namespace linnet::LINNET_SIMD_NS
