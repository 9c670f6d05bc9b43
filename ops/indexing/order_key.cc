#include "indexing/order_key.h"

#include <algorithm>

#include "elements/dispatch.h"
#include "movement/copy.h"

namespace linnet {
namespace {

constexpr int64_t kKeyBlock = 256;

template <class T, class Key>
void integer_keys(const void* data, int64_t stride, Key* keys, int64_t n) {
  constexpr Key kFlip = std::is_signed_v<T> ? Key(1) << (8 * sizeof(Key) - 1) : 0;
  const T* x = static_cast<const T*>(data);
  if (stride == 1) {
    for (int64_t i = 0; i < n; ++i) keys[i] = Key(int64_t(x[i])) ^ kFlip;
  } else {
    for (int64_t i = 0; i < n; ++i) keys[i] = Key(int64_t(x[i * stride])) ^ kFlip;
  }
}

/// Adapts a kernel for contiguous floats to any stride.
template <class T, class Key>
auto float_keys(void (*kernel)(const T* x, Key* keys, int64_t n)) {
  return [kernel](const void* data, int64_t stride, Key* keys, int64_t n) {
    const T* x = static_cast<const T*>(data);
    if (stride == 1) return kernel(x, keys, n);
    T neighbours[kKeyBlock];
    for (int64_t first = 0; first < n; first += kKeyBlock) {
      const int64_t count = std::min(kKeyBlock, n - first);
      for (int64_t i = 0; i < count; ++i) neighbours[i] = x[(first + i) * stride];
      kernel(neighbours, keys + first, count);
    }
  };
}

}  // namespace

NarrowOrderKeys narrow_order_keys_of(DType dtype, const OrderKernels& kernels) {
  if (dtype == DType::kBool) return integer_keys<bool, uint32_t>;
  if (dtype == DType::kFloat32) return float_keys(kernels.keys_f32);
  if (!is_integer(dtype) || dtype_bits(dtype) > 32) return nullptr;
  return dispatch_integer(dtype, []<class T>() -> NarrowOrderKeys {
    if constexpr (sizeof(T) <= 4) return integer_keys<T, uint32_t>;
    return nullptr;
  });
}

OrderKeys order_keys_of(DType dtype, const OrderKernels& kernels) {
  if (dtype == DType::kFloat64) return float_keys(kernels.keys_f64);
  if (dtype == DType::kInt64) return integer_keys<int64_t, uint64_t>;
  if (dtype == DType::kUint64) return integer_keys<uint64_t, uint64_t>;
  const NarrowOrderKeys narrow = narrow_order_keys_of(dtype, kernels);
  if (!narrow) throw_dtype(dtype);
  return [narrow, bytes = element_bytes(dtype)](const void* data, int64_t stride, uint64_t* keys, int64_t n) {
    const auto* x = static_cast<const std::byte*>(data);
    uint32_t block[kKeyBlock];
    for (int64_t first = 0; first < n; first += kKeyBlock) {
      const int64_t count = std::min(kKeyBlock, n - first);
      narrow(x + first * stride * bytes, stride, block, count);
      std::copy_n(block, count, keys + first);
    }
  };
}

}  // namespace linnet
