#include "tensor/order_key.h"

#include <bit>
#include <cmath>

#include "elements/dispatch.h"

namespace linnet {
namespace {

constexpr uint64_t kSignBit = uint64_t{1} << 63;

/// The bits of a double order as integers once those of negative numbers are inverted.
uint64_t key_of(double value) {
  if (std::isnan(value)) return UINT64_MAX;
  const auto bits = std::bit_cast<uint64_t>(value == 0 ? 0.0 : value);
  return bits & kSignBit ? ~bits : bits | kSignBit;
}

/// As key_of(), without branches, so that compilers make vectors of the loop.
uint32_t narrow_key_of(float value) {
  const auto bits = std::bit_cast<uint32_t>(value), magnitude = bits & 0x7fffffffu;
  const uint32_t negative = magnitude != 0 && bits >> 31 ? ~0u : 0u;
  const uint32_t key = (magnitude ^ negative) ^ 0x80000000u;
  return magnitude > 0x7f800000u ? ~0u : key;
}

template <class T>
void order_keys(const void* data, int64_t stride, uint64_t* keys, int64_t n) {
  const T* x = static_cast<const T*>(data);
  for (int64_t i = 0; i < n; ++i) {
    const T value = x[i * stride];
    if constexpr (std::is_unsigned_v<T>) {
      keys[i] = value;
    } else if constexpr (std::is_integral_v<T>) {
      keys[i] = uint64_t(int64_t{value}) ^ kSignBit;
    } else if constexpr (std::is_same_v<T, float>) {
      keys[i] = narrow_key_of(value);
    } else {
      keys[i] = key_of(double(value));
    }
  }
}

template <class T>
void narrow_order_keys(const void* data, int64_t stride, uint32_t* keys, int64_t n) {
  const T* x = static_cast<const T*>(data);
  const auto key = [](T value) {
    if constexpr (std::is_floating_point_v<T>)
      return narrow_key_of(value);
    else
      return uint32_t(int64_t(value)) ^ (std::is_signed_v<T> ? 0x80000000u : 0u);
  };
  if (stride == 1) {
    for (int64_t i = 0; i < n; ++i) keys[i] = key(x[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) keys[i] = key(x[i * stride]);
  }
}

}  // namespace

NarrowOrderKeys narrow_order_keys_of(DType dtype) {
  if (dtype == DType::kBool) return narrow_order_keys<bool>;
  if (dtype == DType::kFloat32) return narrow_order_keys<float>;
  if (!is_integer(dtype) || dtype_bits(dtype) > 32) return nullptr;
  return dispatch_integer(dtype, []<class T>() -> NarrowOrderKeys {
    if constexpr (sizeof(T) <= 4) return narrow_order_keys<T>;
    return nullptr;
  });
}

OrderKeys order_keys_of(DType dtype) {
  if (dtype == DType::kBool) return order_keys<bool>;
  return dispatch_number(dtype, []<class T>() -> OrderKeys { return order_keys<T>; });
}

}  // namespace linnet
