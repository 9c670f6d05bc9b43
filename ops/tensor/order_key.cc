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

template <class T>
void order_keys(const void* data, int64_t stride, uint64_t* keys, int64_t n) {
  const T* x = static_cast<const T*>(data);
  for (int64_t i = 0; i < n; ++i) {
    const T value = x[i * stride];
    if constexpr (std::is_unsigned_v<T>) {
      keys[i] = value;
    } else if constexpr (std::is_integral_v<T>) {
      keys[i] = uint64_t(int64_t{value}) ^ kSignBit;
    } else {
      keys[i] = key_of(double(value));
    }
  }
}

}  // namespace

OrderKeys order_keys_of(DType dtype) {
  if (dtype == DType::kBool) return order_keys<bool>;
  return dispatch_number(dtype, []<class T>() -> OrderKeys { return order_keys<T>; });
}

}  // namespace linnet
