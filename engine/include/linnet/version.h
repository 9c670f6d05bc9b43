#pragma once

#include "linnet/export.h"

namespace linnet {

/// The version of the library, "major.minor.patch".
LINNET_API const char* version();

}  // namespace linnet
