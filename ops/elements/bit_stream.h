#pragma once

#include <cstddef>
#include <cstdint>

// Tensors of elements below one byte are a stream of bits without gaps, from the lowest bit of the first byte on. A
// code is the bits of an element.
// Source: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto, TensorProto.raw_data
namespace linnet {

/// The code of element `index`, of 1 to 8 bits.
inline unsigned code_at(const void* x, int64_t index, int bits) {
  const std::ptrdiff_t first = index * bits;
  const auto* at = static_cast<const uint8_t*>(x) + first / 8;
  const int shift = int(first % 8);
  const unsigned above = shift + bits > 8 ? at[1] : 0u;
  return ((at[0] | above << 8) >> shift) & ((1u << bits) - 1);
}

/// Reads the codes of elements [first, first + n), one per byte. kBits must divide 8, and first * kBits must be a
/// multiple of 8.
template <int kBits>
void read_codes(const void* x, int64_t first, int64_t n, uint8_t* codes) {
  constexpr int kEach = 8 / kBits;
  const auto* from = static_cast<const uint8_t*>(x) + first / kEach;
  for (int64_t i = 0; i < n / kEach; ++i) {
    for (int j = 0; j < kEach; ++j) codes[i * kEach + j] = uint8_t(from[i] >> j * kBits & ((1 << kBits) - 1));
  }
  for (int64_t i = n / kEach * kEach; i < n; ++i) codes[i] = uint8_t(code_at(x, first + i, kBits));
}

/// Reads the integers [first, first + n) of 2 or 4 bits, one per byte, with sign extension for signed ones.
inline void read_integers(const void* x, int64_t first, int64_t n, int bits, bool is_signed, uint8_t* y) {
  int64_t i = 0;
  for (; i < n; ++i) {
    const std::ptrdiff_t bit = (first + i) % 8 * bits;
    if (bit % 8 == 0) break;
    y[i] = uint8_t(code_at(x, first + i, bits));
  }
  bits == 4 ? read_codes<4>(x, first + i, n - i, y + i) : read_codes<2>(x, first + i, n - i, y + i);
  const unsigned sign = is_signed ? 1u << (bits - 1) : 0u;
  for (i = 0; i < n; ++i) y[i] = uint8_t((y[i] ^ sign) - sign);
}

/// Changes the code of one element.
inline void set_code(void* y, int64_t index, int bits, unsigned code) {
  const std::ptrdiff_t first = index * bits;
  auto* at = static_cast<uint8_t*>(y) + first / 8;
  const int shift = int(first % 8);
  const unsigned mask = ((1u << bits) - 1) << shift, value = code << shift & mask;
  at[0] = uint8_t((at[0] & ~mask) | value);
  if (shift + bits > 8) at[1] = uint8_t((at[1] & ~(mask >> 8)) | value >> 8);
}

/// Writes the elements [first, first + n), where code(i) is the code of element first + i; higher bits are ignored.
/// first * bits must be a multiple of 8; the last byte is padded with zeros.
template <class F>
void write_codes(void* y, int64_t first, int64_t n, int bits, F code) {
  auto* to = static_cast<uint8_t*>(y) + first * bits / 8;
  unsigned held = 0;
  int held_bits = 0;
  for (int64_t i = 0; i < n; ++i) {
    held |= (code(i) & ((1u << bits) - 1)) << held_bits;
    held_bits += bits;
    if (held_bits < 8) continue;
    *to++ = uint8_t(held);
    held >>= 8;
    held_bits -= 8;
  }
  if (held_bits > 0) *to = uint8_t(held);
}

}  // namespace linnet
