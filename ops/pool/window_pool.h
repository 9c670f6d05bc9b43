#pragma once

#include <optional>

#include "linnet/op.h"
#include "pool/pool_shape.h"

namespace linnet {

enum class PoolKind {
  kMax,             ///< the largest element; where a window meets no data, -inf or the least byte
  kMean,            ///< the mean of the elements that are data
  kMeanWithPadding  ///< padding counts as zeros
};

/// What bytes stand for: (byte - zero_point) * scale.
struct PoolGrid {
  float scale = 1;
  int32_t zero_point = 0;
};

/// Those of which means are taken, and those that means become, where they do not stay float32.
struct PoolGrids {
  PoolGrid x;
  std::optional<PoolGrid> y;
};

/// Vectorised pooling of channels-last data: the largest elements of float32, uint8 or int8, means of float32, and
/// means of uint8 or int8 as float32 or as the same type; their sums are exact.
KernelPtr make_window_pool(PoolKind kind, PoolShape shape, DType dtype, Isa isa, const PoolGrids& grids = {});
/// The same where the window is the whole image, in either layout; means of bytes channels-last only.
KernelPtr make_global_pool(PoolKind kind, const PoolShape& shape, DType dtype, Isa isa, const PoolGrids& grids = {});

/// The elements of a window that exact sums of bytes hold.
inline constexpr int64_t kMostByteTaps = int64_t{1} << 22;

}  // namespace linnet
