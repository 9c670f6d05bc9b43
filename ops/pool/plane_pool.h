#pragma once

#include "linnet/op.h"
#include "pool/pool_shape.h"
#include "pool/window_pool.h"

namespace linnet {

/// Whether make_plane_pool() supports this pooling:
/// - Data is channels-first.
/// - The result is maxima of float32, float64, uint8 or int8, or means of float32.
/// - Windows along lines are neither mostly padding nor very long.
bool takes_planes(PoolKind kind, const PoolShape& shape, DType dtype);
/// Vectorised pooling of data for which takes_planes() is true.
KernelPtr make_plane_pool(PoolKind kind, PoolShape shape, DType dtype, Isa isa);

}  // namespace linnet
