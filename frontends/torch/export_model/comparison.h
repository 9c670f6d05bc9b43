#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "torchscript/tracer.h"
#include "linnet/tensor.h"
#include "options.h"

namespace linnet::exporter::torchscript {

struct Comparison {
  std::string problem;  ///< empty where they agree
  double largest = 0;   ///< difference
};

/// Compares dtype, shape and elements; NaN equals NaN. A float may differ by atol + rtol * |expected| + slack, an
/// integer not at all.
Comparison compare(const Tensor& got, const at::Tensor& expected, const Options& options, double slack);

/// Both hold positions of elements that are equal: which of them an operator chooses is left open.
bool is_tie(const Tensor& got, const at::Tensor& expected, const Positions& positions);

}  // namespace linnet::exporter::torchscript
