#pragma once

#include <cstdint>

namespace linnet::testing {

/// How often operator new was called in this process: the test binary replaces it by one that counts. Always 0 under
/// ThreadSanitizer, which has its own.
int64_t allocation_count();

}  // namespace linnet::testing
