#pragma once

#include <memory>
#include <vector>

#include "linnet/op.h"
#include "plan/program.h"

namespace linnet {

/// A kernel that runs a program on the inputs of its node at these positions. It provides the outputs at those.
KernelPtr make_program_kernel(std::shared_ptr<Program> program, std::vector<int> inputs, std::vector<int> outputs);

}  // namespace linnet
