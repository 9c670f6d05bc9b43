#pragma once

#include <cstdint>

namespace linnet::testing {

/// Row lengths for kernels of bytes: empty, parts of vectors, whole vectors and more, for every instruction set.
inline constexpr int64_t kLengths[] = {0, 1, 3, 4, 7, 8, 15, 16, 17, 31, 63, 64, 65, 100, 257, 700};

}  // namespace linnet::testing
