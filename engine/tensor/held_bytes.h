#pragma once

#include "linnet/tensor.h"

namespace linnet {

/// Bytes that a value holds, with the text of its strings and the elements of containers.
size_t held_bytes(const Tensor& value);

}  // namespace linnet
