#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "linnet/tensor.h"
#include "options.h"

namespace linnet::exporter {

struct Comparison {
  std::string problem;  ///< empty where they agree
  double largest = 0;   ///< difference
};

/// Compares dtype, shape and elements; NaN equals NaN. An element may differ by atol + rtol * |expected| + slack.
Comparison compare(const Tensor& got, const at::Tensor& expected, const Options& options, double slack);

}  // namespace linnet::exporter
