#pragma once

#include "elements/small_float.h"
#include "linnet/op.h"

namespace linnet {

/// The rounding to float8 types that the attributes saturate and round_mode specify. Throws Error(kModel) for an
/// unknown mode.
SmallFloatRounding rounding_of(const NodeSpec& node);

/// A kernel that converts input 0 to the dtype of output 0; see wide.h and number_text.h for the rules.
/// Throws Error(kUnsupported) for complex numbers.
KernelPtr cast_kernel(const CompileInput& in, const SmallFloatRounding& rounding);

}  // namespace linnet
