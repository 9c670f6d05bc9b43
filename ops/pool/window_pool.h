#pragma once

#include <optional>

#include "linnet/op.h"
#include "pool/pool_shape.h"

namespace linnet {

enum class PoolKind {
  kMax,             ///< the largest element; -inf or the least byte where a window contains no data
  kMean,            ///< the mean of the elements that are data
  kMeanWithPadding  ///< padding counts as zeros
};

/// The meaning of bytes: (byte - zero_point) * scale.
struct PoolGrid {
  float scale = 1;
  int32_t zero_point = 0;
};

/// The grids of the bytes whose means are taken, and of the bytes that means become. Without y they stay float32.
struct PoolGrids {
  PoolGrid x;
  std::optional<PoolGrid> y;
};

/// Vectorised pooling of channels-last data: maxima of float32, uint8 or int8, means of float32, and means of uint8 or
/// int8 as float32 or as the same type. Means of bytes use exact sums and windows of up to kMostByteTaps elements.
KernelPtr make_window_pool(PoolKind kind, PoolShape shape, DType dtype, Isa isa, const PoolGrids& grids = {});
/// The same where the window is the whole image, in either layout. Means of bytes are channels-last only.
KernelPtr make_global_pool(PoolKind kind, const PoolShape& shape, DType dtype, Isa isa, const PoolGrids& grids = {});

/// The largest number of elements in a window for which sums of bytes are exact.
inline constexpr int64_t kMostByteTaps = int64_t{1} << 22;

}  // namespace linnet
