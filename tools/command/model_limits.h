#pragma once

#include <string>

#include "command/options.h"
#include "linnet/options.h"

namespace linnet::tool {

/// The limits on what a model may demand while it is loaded. Without flags: three quarters of the memory that this
/// process may use, and five minutes.
Limits load_limits(const ModelFlags& flags);
/// The limits of a context's runs, which without flags have no deadline.
Limits run_limits(const ModelFlags& flags);
/// These limits in a few words.
std::string describe_limits(const ModelFlags& flags);

/// An error's message. If it is about a limit on memory or time, adds the flags that allow more.
std::string with_remedy(const std::string& message);

}  // namespace linnet::tool
