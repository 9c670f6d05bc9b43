#pragma once

#include <cstdint>

namespace linnet::tool {

/// The number of calls of operator new in this process so far, in all threads and libraries.
int64_t allocation_count();

}  // namespace linnet::tool
