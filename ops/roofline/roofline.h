#pragma once

#include <array>

#include "linnet/executor.h"
#include "linnet/isa.h"
#include "roofline/node_cost.h"

namespace linnet {

/// What threads together reach at best, measured: no node is faster unless its values stay in caches, or its kernel
/// gets by with fewer multiplications than its definition has.
struct LINNET_API Roofline {
  struct Peak {
    DType multiplied;                ///< NodeCost::multiplied
    double multiply_adds_per_s = 0;  ///< 0 where this build has no kernels for it
  };
  std::array<Peak, 3> peaks{{{DType::kFloat32}, {DType::kFloat64}, {DType::kInt16}}};
  double bytes_per_s = 0;  ///< read from memory, one after the other
  int64_t read_bytes = 0;  ///< that were read to measure it
  int threads = 0;

  /// The seconds that a node takes at the least; 0 where nothing is known of its cost.
  double least_seconds(const NodeCost& cost) const;
};

/// Takes some tenths of a second and some hundred MiB.
LINNET_API Roofline measure_roofline(Isa isa, Executor& executor);

}  // namespace linnet
