#pragma once

#include <cstdint>
#include <string>

#include "partition/checkpoints.h"

namespace linnet {

/// Keys of strings: equal for equal ones. Sorted, they order as the strings do; else by first occurrence.
void string_keys(const std::string* x, int64_t n, bool sorted, uint64_t* keys, Checkpoints& checkpoints);

}  // namespace linnet
