#pragma once

#include <memory>
#include <vector>

#include "linnet/registry.h"
#include "logger.h"
#include "session_options.h"

namespace linnet::ort {

/// Adds the operators of the domains in the options. The client keeps these domains as long as anything is loaded with
/// the registry. Throws Failure for declarations that contradict each other.
void add_client_ops(const SessionOptions& options, const Logger& logger, Registry& registry);

/// Adds the operators of a library, for programs that use Linnet's own interface. They get this function from
/// GetExperimentalFunction("LinnetLoadCustomOps"). Throws Error(kIo).
void load_custom_ops(const char* path, Registry& registry);

}  // namespace linnet::ort
