#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/run_op.h"

namespace linnet::testing {

/// Runs an operator that is defined by its expansion as run_op does, and also as a kernel, without rewrites, and with
/// constant inputs. Expects no difference beyond the rounding of floats.
std::vector<Tensor> run_expanded(const OpCase& op, const std::vector<Tensor>& inputs, int outputs = 1);
/// Does the same for an operator of com.microsoft.
std::vector<Tensor> run_expanded(const std::string& op_type, const Attributes& attributes,
                                 const std::vector<Tensor>& inputs, int outputs = 1);

/// Returns bytes of all sizes, in no particular order.
template <class T>
Tensor scattered(const Shape& shape, int64_t step = 37) {
  Tensor tensor(dtype_of<T>, shape);
  for (int64_t i = 0; i < tensor.size(); ++i) tensor.data<T>()[i] = T(uint8_t(i * step + 11));
  return tensor;
}

/// Returns saturate(round(value / scale) + zero_point), with ties to even.
template <class T>
T rounded_to(double value, double scale, double zero_point) {
  const double least = std::numeric_limits<T>::min(), greatest = std::numeric_limits<T>::max();
  return T(std::min(greatest, std::max(least, std::nearbyint(value / scale) + zero_point)));
}

}  // namespace linnet::testing
