#pragma once

#include <cstdint>

namespace linnet {

/// Selection among keys of one width.
template <class Key>
struct KeySelection {
  /// minima[g] = the least of keys[g], keys[g + groups], ... below n, for g < groups <= n.
  void (*group_minima)(const Key* keys, int64_t n, int64_t groups, Key* minima);
  /// Writes the positions of the keys that are at most `most`, in order, and returns their number. positions: room for
  /// n + 1.
  int64_t (*find)(const Key* keys, int64_t n, Key most, int32_t* positions);
};

/// Keys that have the order of floats; see tensor/order_key.h.
struct OrderKernels {
  void (*keys_f32)(const float* x, uint32_t* keys, int64_t n);
  void (*keys_f64)(const double* x, uint64_t* keys, int64_t n);
  KeySelection<uint32_t> narrow;
  KeySelection<uint64_t> wide;
};

}  // namespace linnet
