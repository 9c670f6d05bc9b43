#pragma once

#include <cstdint>
#include <string>

#include "linnet/lowering.h"

namespace linnet::exporter {

/// The integers from low to high, both included.
struct Range {
  int64_t low, high;

  bool has(int64_t value) const { return value >= low && value <= high; }
  bool holds(const Range& other) const { return has(other.low) && has(other.high); }
  bool operator==(const Range&) const = default;
};

/// Returns the range of a dtype of quantised tensors. Refuses other dtypes.
Range range_of(Call& call, DType dtype);

/// Returns the range that the call allows, which must be within `all`.
Range asked_range(Call& call, const Range& all);

/// Returns the narrowest floating-point dtype that represents all integers of a range.
DType exact_dtype(const Range& range);

/// Clamps integers to the range, in its exact dtype.
std::string clamped_integers(Call& call, const std::string& rounded, const Range& range);

}  // namespace linnet::exporter
