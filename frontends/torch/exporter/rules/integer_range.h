#pragma once

#include <cstdint>
#include <string>

#include "linnet/lowering.h"

namespace linnet::exporter {

/// The integers from low to high.
struct Range {
  int64_t low, high;

  bool has(int64_t value) const { return value >= low && value <= high; }
  bool holds(const Range& other) const { return has(other.low) && has(other.high); }
  bool operator==(const Range&) const = default;
};

/// Those of a dtype of quantised tensors; other dtypes are refused.
Range range_of(Call& call, DType dtype);

/// The integers that the call allows, all of them in `all`.
Range asked_range(Call& call, const Range& all);

/// The narrowest dtype of floats that has all integers of a range.
DType exact_dtype(const Range& range);

/// Within the range, in its exact dtype.
std::string clamped_integers(Call& call, const std::string& rounded, const Range& range);

}  // namespace linnet::exporter
