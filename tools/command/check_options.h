#pragma once

#include "command/options.h"

namespace linnet::tool {

/// Throws Failure(kUsage) for flags that cannot be combined, and if a verb lacks its argument.
void check_combination(const Options& options);

}  // namespace linnet::tool
