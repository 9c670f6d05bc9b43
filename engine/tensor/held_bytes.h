#pragma once

#include "linnet/tensor.h"

namespace linnet {

/// Of the block that holds a text, beside its characters.
constexpr size_t kTextBlockBytes = 32;

/// Bytes that a value holds, with the text of its strings and the elements of containers.
size_t held_bytes(const Tensor& value);

/// Counts the text of strings and the elements of containers, which have grown since the value was made or was counted
/// the last time, for the account that the value was made for. Throws Error(kLimit) where that is too much. Nobody else
/// may use the value meanwhile.
LINNET_API void count_held(const Tensor& value);

}  // namespace linnet
