#pragma once

#include <functional>

#include "linnet/op.h"

namespace linnet {

/// Whether an output has elements below one byte.
bool has_sub_byte(const CompileInput& in);

/// For operators that move elements: compiles the node as if its inputs and outputs of dtypes below one byte were
/// uint8, with one element per byte, and converts them before and after it. Supports at most 8 inputs and outputs.
KernelPtr compile_widened(const CompileInput& in, const std::function<KernelPtr(const CompileInput&)>& compile);

}  // namespace linnet
