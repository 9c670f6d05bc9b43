#pragma once

#include <cstdint>
#include <string>

#include "linnet/export.h"

namespace linnet {

/// The bytes of memory that this process may use: those of the machine, or those of its control groups (version 1 or 2)
/// if they are fewer; 0 if the system reports neither. `root`: where the system's files are looked up, the parent of
/// proc and sys.
/// Source: https://docs.kernel.org/admin-guide/cgroup-v2.html (memory.max), cgroup-v1/memory.html (limit_in_bytes)
LINNET_API int64_t available_memory(const std::string& root = "/");

}  // namespace linnet
