#pragma once

#include "linnet/tensor.h"
#include "partition/checkpoints.h"

namespace linnet {

/// Slices in groups of equal ones.
struct SliceGroups {
  Tensor first;    ///< int64 [slices], the first slice of each of the `count` groups
  Tensor counts;   ///< int64 [slices], slices in each group
  Tensor inverse;  ///< int64 [slices], the group of each slice
  int64_t count = 0;

  explicit SliceGroups(int64_t slices);
};

/// Groups slices by their keys, uint64 [slices, columns], whose memory is written to: in the order of the keys, or in
/// that of the first slices.
SliceGroups groups_by_key(Tensor& keys, int64_t slices, int64_t columns, Checkpoints& checkpoints);
SliceGroups groups_by_first(const Tensor& keys, int64_t slices, int64_t columns, Checkpoints& checkpoints);

/// Elements of 8 bytes for each slice that these take, besides the keys.
inline constexpr int64_t kGroupingElements = 16;

}  // namespace linnet
