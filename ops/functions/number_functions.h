#pragma once

#include <span>
#include <string_view>

#include "kernels/number_unary.h"
#include "linnet/isa.h"

namespace linnet {

/// A function of the function table for vectors of float64, without parameters.
struct DoubleFunction {
  std::string_view name;  ///< the name of its row
  NumberFunction DoubleFunctions::*kernel;
  double ulps;  ///< the largest difference between a result and f(x), in units in the last place of f(x)
};

std::span<const DoubleFunction> double_functions();

/// The kernel of that function for float64 or integers; nullptr if not found.
NumberFunction number_function(std::string_view name, DType dtype, Isa isa);

}  // namespace linnet
