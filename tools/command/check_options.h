#pragma once

#include "command/options.h"

namespace linnet::tool {

/// Throws Failure(kUsage) for flags that do not go together, and where a verb lacks its argument.
void check_combination(const Options& options);

}  // namespace linnet::tool
