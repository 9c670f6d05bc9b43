#pragma once

#include <string>

#include "linnet/tensor.h"
#include "options.h"

namespace linnet::exporter {

struct Comparison {
  std::string problem;  ///< empty if they agree
  double largest = 0;   ///< the largest difference
};

/// Compares dtype, shape and elements. NaN equals NaN. A float may differ by atol + rtol * |expected| + slack; an
/// integer must be equal.
Comparison compare(const Tensor& got, const Tensor& expected, const Options& options, double slack);

}  // namespace linnet::exporter
