#pragma once

#include "linnet/op.h"

namespace linnet {

/// The memory that the caller of the run gives for an output that the kernel allocates; an empty tensor if there is no
/// such memory. Throws Error(kInternal) for contexts that are not Linnet's own.
LINNET_API Tensor given_output(KernelContext& context, int output);

}  // namespace linnet
