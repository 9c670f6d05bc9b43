#pragma once

#include <cstdint>

namespace linnet::testing {

/// Returns how often operator new was called in this process. The test binary replaces it by a counting one. The count
/// is always 0 under ThreadSanitizer, which has its own operator new.
int64_t allocation_count();

}  // namespace linnet::testing
