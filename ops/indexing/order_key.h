#pragma once

#include <cstdint>
#include <functional>

#include "kernels/order.h"
#include "linnet/dtype.h"

namespace linnet {

/// Writes the keys of x[i * stride] to keys[i] for i in [0, n). Keys of numbers and bools order as their values do. -0
/// and 0 have the same key. All NaNs have the same key, which is the greatest.
using OrderKeys = std::function<void(const void* x, int64_t stride, uint64_t* keys, int64_t n)>;

/// Returns the function for a dtype. Throws Error(kUnsupported) for dtypes other than numbers and bool.
OrderKeys order_keys_of(DType dtype, const OrderKernels& kernels);

/// The same with keys of 32 bits, for dtypes whose order fits; empty for others.
using NarrowOrderKeys = std::function<void(const void* x, int64_t stride, uint32_t* keys, int64_t n)>;
NarrowOrderKeys narrow_order_keys_of(DType dtype, const OrderKernels& kernels);

/// An element and its key. Among equal keys, the lower index comes first.
struct KeyedIndex {
  uint64_t key;
  int64_t index;

  bool operator<(const KeyedIndex& other) const { return key != other.key ? key < other.key : index < other.index; }
};

/// Elements with 64-bit keys, and elements whose 32-bit key and 32-bit index share a word.
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
