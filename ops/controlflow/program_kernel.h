#pragma once

#include <memory>
#include <vector>

#include "linnet/op.h"
#include "plan/program.h"

namespace linnet {

/// A kernel that runs a program on the node's inputs at these positions, and provides the outputs at these positions.
KernelPtr make_program_kernel(std::shared_ptr<Program> program, std::vector<int> inputs, std::vector<int> outputs);

}  // namespace linnet
