#pragma once

#include <cstdint>

#include "gemm/processor.h"

namespace linnet {

/// The speed of a core with vectors of one width.
struct VectorSpeed {
  double multiplies = 2;     ///< multiply-adds that begin in a cycle
  double loads = 2;          ///< loads of a vector, broadcasts and loads of an address that begin in a cycle
  double line_cycles = 0.3;  ///< cycles that a line from the second-level cache adds to those of its multiplications
};

/// The properties of the machine that choices between algorithms depend on. Results do not depend on them within one
/// algorithm: the sums of a product are the same to the bit for any Machine.
struct Machine {
  int64_t l1_bytes = 32 << 10;          ///< size of a core's first-level data cache
  int l1_ways = 8;                      ///< lines of the first-level data cache that can have the same set
  int64_t l2_bytes = 1 << 20;           ///< size of a core's second-level cache
  int64_t last_cache_bytes = 16 << 20;  ///< part of the shared last-level cache that a run may count on
  VectorSpeed wide{};                   ///< with vectors of 512 bits
  VectorSpeed narrow{};                 ///< with narrower vectors

  const VectorSpeed& speed(int vector_bytes) const { return vector_bytes >= 64 ? wide : narrow; }
};

/// Returns a machine with the caches of `caches` and the speed of the processor's cores, which is the default above for
/// an unknown processor.
Machine machine_of(const Processor& processor, const Machine& caches);

/// Returns the properties of this machine, which are read once. Where the system does not report a value, it is the
/// default above.
const Machine& this_machine();

}  // namespace linnet
