#pragma once

#include <memory_resource>

#include "linnet/tensor.h"

namespace linnet {

/// A tensor whose numbers lie in memory of `memory`, which outlives it; on the heap for strings, containers and
/// nullptr. Throws Error(kLimit) where memory is short.
Tensor allocate_from(std::pmr::memory_resource* memory, DType dtype, const Shape& shape);

}  // namespace linnet
