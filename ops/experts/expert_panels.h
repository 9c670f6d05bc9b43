#pragma once

#include "linnet/op.h"

namespace linnet {

/// ExpertMatMul by constant float32 weights (input 2), which are packed. Results do not depend on the number of
/// products of an expert.
KernelPtr make_expert_panels(const CompileInput& in);

}  // namespace linnet
