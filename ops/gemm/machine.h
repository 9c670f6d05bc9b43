#pragma once

#include <cstdint>

namespace linnet {

/// The properties of the machine that choices between algorithms depend on.
struct Machine {
  int64_t l1_bytes = 32 << 10;          ///< size of a core's first-level data cache
  int64_t l2_bytes = 1 << 20;           ///< size of a core's second-level cache
  int64_t last_cache_bytes = 16 << 20;  ///< part of the shared last-level cache that a run may count on
};

/// Returns the properties of this machine, which are read once. Where the system does not report a value, it is the
/// default above.
const Machine& this_machine();

}  // namespace linnet
