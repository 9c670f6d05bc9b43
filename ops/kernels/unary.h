#pragma once

#include <cstdint>

namespace linnet {

/// Element-wise float32 functions y[i] = f(x[i]). x == y is allowed, other overlap is not. What an element becomes
/// depends on its value alone, never on its position. NaN gives NaN. Functions of one or two parameters take them as
/// alpha and beta; the others ignore both. What each computes, and how exactly, is said in the table of functions.
struct UnaryKernels {
  using F = void (*)(const float* x, float* y, int64_t n, float alpha, float beta);

#define LINNET_UNARY(name) F name;
#include "kernels/unary_list.inc"
#undef LINNET_UNARY
};

}  // namespace linnet
