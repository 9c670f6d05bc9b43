#pragma once

#include "linnet/op.h"
#include "pool/pool_shape.h"
#include "pool/window_pool.h"

namespace linnet {

/// Whether make_plane_pool() takes it: channels-first data, the largest elements of float32, float64, uint8 or int8, or
/// means of float32, and windows along lines that are neither mostly padding nor very long.
bool takes_planes(PoolKind kind, const PoolShape& shape, DType dtype);
/// Vectorised pooling of such data.
KernelPtr make_plane_pool(PoolKind kind, PoolShape shape, DType dtype, Isa isa);

}  // namespace linnet
