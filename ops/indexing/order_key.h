#pragma once

#include <cstdint>
#include <functional>

#include "kernels/order.h"
#include "linnet/dtype.h"

namespace linnet {

/// keys[i] = the key of x[i * stride] for i in [0, n). Keys of numbers and bools order as their values do; -0 and 0
/// have one key, and so have all NaNs, which come last.
using OrderKeys = std::function<void(const void* x, int64_t stride, uint64_t* keys, int64_t n)>;

/// Throws Error(kUnsupported) for other dtypes.
OrderKeys order_keys_of(DType dtype, const OrderKernels& kernels);

/// The same in 32 bits, for dtypes whose order fits; empty for others.
using NarrowOrderKeys = std::function<void(const void* x, int64_t stride, uint32_t* keys, int64_t n)>;
NarrowOrderKeys narrow_order_keys_of(DType dtype, const OrderKernels& kernels);

/// An element and its key. Of equal keys, the lower index comes first.
struct KeyedIndex {
  uint64_t key;
  int64_t index;

  bool operator<(const KeyedIndex& other) const { return key != other.key ? key < other.key : index < other.index; }
};

/// Elements with keys of 64 bits, and with keys of 32 bits, which share a word with their indices.
struct WideElements {
  using Key = uint64_t;
  using Element = KeyedIndex;
  static constexpr int64_t kMostIndices = INT64_MAX;
  static Element make(Key key, int64_t index) { return {key, index}; }
  static Key key(const Element& element) { return element.key; }
  static int64_t index(const Element& element) { return element.index; }
};
struct NarrowElements {
  using Key = uint32_t;
  using Element = uint64_t;
  static constexpr int64_t kMostIndices = int64_t{1} << 32;
  static Element make(Key key, int64_t index) { return uint64_t{key} << 32 | uint64_t(index); }
  static Key key(Element element) { return Key(element >> 32); }
  static int64_t index(Element element) { return int64_t(element & 0xffffffffu); }
};

}  // namespace linnet
