#pragma once

#include "linnet/op.h"
#include "pool/pool_shape.h"

namespace linnet {

/// MaxPool with its Indices, for channels-first data. Selects the last NaN of a window, or otherwise the first of its
/// largest elements. by_columns: indices count the spatial axes in reverse order. dtype: a float type, int8 or uint8.
KernelPtr make_indexed_max_pool(PoolShape shape, bool by_columns, DType dtype);

}  // namespace linnet
