#pragma once

#include <cstdint>

namespace linnet::testing {

/// Elements of a row for kernels of bytes: none, parts of vectors, whole ones and more, of every instruction set.
inline constexpr int64_t kLengths[] = {0, 1, 3, 4, 7, 8, 15, 16, 17, 31, 63, 64, 65, 100, 257, 700};

}  // namespace linnet::testing
