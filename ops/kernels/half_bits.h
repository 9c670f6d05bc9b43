#pragma once

#include <cstdint>

namespace linnet {

/// y[i] = f(x[i]) for i < n; x == y is allowed.
using HalfFunction = void (*)(const uint16_t* x, uint16_t* y, int64_t n);

/// Functions that operate on the bits of one number.
struct HalfFunctions {
  HalfFunction abs, neg, relu, sign;
};

struct HalfBitsKernels {
  HalfFunctions f16, bf16;
};

}  // namespace linnet
