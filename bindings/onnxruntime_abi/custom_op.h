#pragma once

#include <memory>
#include <vector>

#include "linnet/registry.h"
#include "logger.h"
#include "session_options.h"

namespace linnet::ort {

/// Adds the operators of the domains that the options have, which the client keeps as long as anything is loaded with
/// the registry. Throws Failure for those that contradict each other.
void add_client_ops(const SessionOptions& options, const Logger& logger, Registry& registry);

/// Adds those of a library, for programs that use Linnet's own interface: they get this function from
/// GetExperimentalFunction("LinnetLoadCustomOps"). Throws Error(kIo).
void load_custom_ops(const char* path, Registry& registry);

}  // namespace linnet::ort
