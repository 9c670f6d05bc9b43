#pragma once

#include "linnet/isa.h"

namespace linnet {

/// What the processor has and the operating system saves the registers of. For the tiles of AMX, Linux also wants each
/// process to ask once (arch_prctl, ARCH_REQ_XCOMP_PERM), which this does not.
Features detect_features();

}  // namespace linnet
