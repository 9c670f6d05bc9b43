#pragma once

#include <cstdint>

namespace linnet {

/// What choices between algorithms know of the machine.
struct Machine {
  int64_t l1_bytes = 32 << 10;          ///< of a core's first-level data cache
  int64_t l2_bytes = 1 << 20;           ///< of a core's second-level cache
  int64_t last_cache_bytes = 16 << 20;  ///< what a run may count on in the last one, which others share
};

/// This machine's, read once; the values above where the system does not tell.
const Machine& this_machine();

}  // namespace linnet
