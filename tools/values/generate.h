#pragma once

#include <random>
#include <string>
#include <vector>

#include "linnet/tensor.h"

namespace linnet::tool {

/// Generates inputs. The values depend only on the seed and the order of calls, not on the machine.
class Generator {
 public:
  /// fill: random, zeros, ones or ramp (0, 1, 2, ...). range: {low, high} for uniform values; empty: floats are
  /// normal, integers 0 or 1, bools alternate.
  Generator(const std::string& fill, const std::vector<double>& range, uint64_t seed);

  /// Makes a tensor. Strings are empty. Throws Error(kType) for types that have no numbers.
  Tensor make(DType dtype, const Shape& shape);

 private:
  double value(DType dtype, int64_t i);
  double uniform();
  double normal();

  std::string fill_;
  std::vector<double> range_;
  std::mt19937_64 bits_;
};

}  // namespace linnet::tool
