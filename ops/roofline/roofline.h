#pragma once

#include <array>

#include "linnet/executor.h"
#include "linnet/isa.h"
#include "roofline/node_cost.h"

namespace linnet {

/// The measured peak performance of all threads together. A node is faster only if its values stay in caches or its
/// kernel needs fewer multiplications than its definition.
struct LINNET_API Roofline {
  struct Peak {
    DType multiplied;                ///< NodeCost::multiplied
    double multiply_adds_per_s = 0;  ///< 0 if this build has no kernels for it.
  };
  std::array<Peak, 3> peaks{{{DType::kFloat32}, {DType::kFloat64}, {DType::kInt16}}};
  double bytes_per_s = 0;  ///< The bandwidth of consecutive reads from memory.
  int64_t read_bytes = 0;  ///< The number of bytes read in the measurement.
  int threads = 0;

  /// Returns the least seconds that a node takes; 0 if its cost is unknown.
  double least_seconds(const NodeCost& cost) const;
};

/// Measures the roofline. Takes some tenths of a second and some hundred MiB.
LINNET_API Roofline measure_roofline(Isa isa, Executor& executor);

}  // namespace linnet
