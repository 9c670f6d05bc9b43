#pragma once

#include <cstdint>

namespace linnet {

/// A family that exists only for tests: the sum of a[i] b[i].
struct ByteDotKernels {
  int32_t (*dot)(const uint8_t* a, const int8_t* b, int64_t n);
};

}  // namespace linnet
