#pragma once

#include <cstdint>

namespace linnet::tool {

/// How often this process has called operator new so far, in any thread and library.
int64_t allocation_count();

}  // namespace linnet::tool
