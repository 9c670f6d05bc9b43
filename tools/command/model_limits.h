#pragma once

#include <string>

#include "command/options.h"
#include "linnet/options.h"

namespace linnet::tool {

/// What the flags allow a model to demand while it is loaded. Without flags: three quarters of the memory that this
/// process may fill, and five minutes.
Limits load_limits(const ModelFlags& flags);
/// The same of a context's runs, which without flags may take any time.
Limits run_limits(const ModelFlags& flags);
/// These limits in a few words.
std::string describe_limits(const ModelFlags& flags);

/// An error's message, with the flags that allow more where it tells of a limit on memory or time.
std::string with_remedy(const std::string& message);

}  // namespace linnet::tool
