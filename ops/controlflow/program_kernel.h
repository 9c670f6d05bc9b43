#pragma once

#include <memory>

#include "linnet/op.h"
#include "plan/program.h"

namespace linnet {

/// A kernel that runs a program on the inputs of its node, `inputs` of them. It provides the outputs.
KernelPtr make_program_kernel(std::shared_ptr<Program> program, size_t inputs);

}  // namespace linnet
