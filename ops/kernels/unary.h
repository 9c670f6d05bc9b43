#pragma once

#include "kernels/forms.h"

namespace linnet {

/// Element-wise float32 functions y[i] = f(x[i]). The result for an element depends on its value alone, never on its
/// position. NaN gives NaN. Functions of one or two parameters receive them as alpha and beta; the others ignore both.
/// The table of functions defines each function and its accuracy.
struct UnaryKernels {
#define LINNET_UNARY(name) UnaryForm name;
#include "kernels/unary_list.inc"
#undef LINNET_UNARY
};

}  // namespace linnet
