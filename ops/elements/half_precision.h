#pragma once

#include <functional>

#include "linnet/op.h"

namespace linnet {

/// For operators whose float16 and bfloat16 forms compute in float32 and round once: compiles the node as if its
/// float16 and bfloat16 inputs and outputs were float32, and converts them around it. Constants are converted now.
/// At most 8 inputs and outputs.
KernelPtr compile_in_float32(const CompileInput& in, const std::function<KernelPtr(const CompileInput&)>& compile);

/// The same for floats below float64 that are mixed with float64 ones, which are computed with in float64.
KernelPtr compile_in_float64(const CompileInput& in, const std::function<KernelPtr(const CompileInput&)>& compile);

}  // namespace linnet
