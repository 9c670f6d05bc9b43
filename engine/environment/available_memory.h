#pragma once

#include <cstdint>
#include <string>

#include "linnet/export.h"

namespace linnet {

/// Bytes of memory that this process may fill: those of the machine, or of its control groups (version 1 or 2) where
/// these have less; 0 where the system tells neither. `root` is where the system's files are looked up: the parent of
/// proc and sys.
/// Source: https://docs.kernel.org/admin-guide/cgroup-v2.html (memory.max), cgroup-v1/memory.html (limit_in_bytes)
LINNET_API int64_t available_memory(const std::string& root = "/");

}  // namespace linnet
