#pragma once

#include "linnet/op.h"
#include "pool/pool_shape.h"

namespace linnet {

enum class PoolKind {
  kMax,             ///< the largest element; -inf where a window meets no data
  kMean,            ///< the mean of the elements that are data
  kMeanWithPadding  ///< padding counts as zeros
};

/// Vectorised pooling of float32 data in either layout.
KernelPtr make_pool_float(PoolKind kind, PoolShape shape, Isa isa);
/// The same where the window is the whole image.
KernelPtr make_global_pool_float(PoolKind kind, PoolShape shape, Isa isa);

}  // namespace linnet
