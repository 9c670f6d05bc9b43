#pragma once

#include "linnet/op.h"

namespace linnet {

/// Where the caller of the run wants an output whose memory the kernel asks for; none: anywhere. Throws
/// Error(kInternal) for contexts that are not Linnet's own.
LINNET_API Tensor given_output(KernelContext& context, int output);

}  // namespace linnet
