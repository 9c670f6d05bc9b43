#pragma once

#include "kernels/forms.h"

namespace linnet {

/// Element-wise float32 functions y[i] = f(x[i]). What an element becomes depends on its value alone, never on
/// its position. NaN gives NaN. Functions of one or two parameters take them as alpha and beta; the others ignore both.
/// The table of functions defines what each computes, and how exactly.
struct UnaryKernels {
#define LINNET_UNARY(name) UnaryForm name;
#include "kernels/unary_list.inc"
#undef LINNET_UNARY
};

}  // namespace linnet
