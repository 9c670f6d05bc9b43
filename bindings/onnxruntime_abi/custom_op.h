#pragma once

#include <memory>
#include <vector>

#include "linnet/registry.h"
#include "logger.h"
#include "session_options.h"

namespace linnet::ort {

/// Linnet's operators and those of clients, which must outlive what is loaded with the registry.
Registry registry_with(const SessionOptions& options, const Logger& logger);

}  // namespace linnet::ort
