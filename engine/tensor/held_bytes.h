#pragma once

#include "linnet/tensor.h"

namespace linnet {

/// The bytes of a block that contains a text, in addition to its characters.
constexpr size_t kTextBlockBytes = 32;

/// The bytes that a value holds, including the text of its strings and the elements of containers.
size_t held_bytes(const Tensor& value);

/// Counts the text of strings and the elements of containers that were added since the value was made or last counted,
/// for the account for which the value was made. Throws Error(kLimit) if that is too much. The value must not be used
/// by others meanwhile.
LINNET_API void count_held(const Tensor& value);

}  // namespace linnet
