#pragma once

#include "linnet/op.h"

namespace linnet {

/// ExpertMatMul by constant weights of float32, input 2, which are packed. Results do not depend on how many products
/// there are of an expert.
KernelPtr make_expert_panels(const CompileInput& in);

}  // namespace linnet
