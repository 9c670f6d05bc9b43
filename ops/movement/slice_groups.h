#pragma once

#include "linnet/tensor.h"
#include "partition/checkpoints.h"

namespace linnet {

/// Slices grouped by equality.
struct SliceGroups {
  Tensor first;    ///< int64 [slices], the first slice of each of the `count` groups
  Tensor counts;   ///< int64 [slices], slices in each group
  Tensor inverse;  ///< int64 [slices], the group of each slice
  int64_t count = 0;

  /// inverse: memory for that member, or an empty tensor.
  SliceGroups(int64_t slices, const Tensor& inverse);
};

/// Groups slices by their keys, uint64 [slices, columns]. groups_by_key() orders the groups by key and overwrites the
/// keys. groups_by_first() orders them by their first slices. inverse: as for SliceGroups.
SliceGroups groups_by_key(Tensor& keys, int64_t slices, int64_t columns, const Tensor& inverse,
                          Checkpoints& checkpoints);
SliceGroups groups_by_first(const Tensor& keys, int64_t slices, int64_t columns, const Tensor& inverse,
                            Checkpoints& checkpoints);

/// The number of 8-byte elements per slice that these functions allocate, besides the keys.
inline constexpr int64_t kGroupingElements = 16;

}  // namespace linnet
