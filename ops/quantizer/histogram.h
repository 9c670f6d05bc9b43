#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linnet/quantize.h"

namespace linnet {

/// The values from low to high, a range that includes 0.
struct ValueRange {
  float low = 0, high = 0;

  void include(const ValueRange& other);
};

/// Counts values by magnitude and sign. Zeros are not counted because every grid contains 0.
class Histogram {
 public:
  explicit Histogram(const ValueRange& range);
  void add(std::span<const float> values);

  /// The part of the range that excludes (100 - percent) / 2 percent of the values on each side.
  ValueRange percentile(double percent) const;
  /// The part of the range whose rounded values have the least relative entropy (see CalibrationMethod::kEntropy). It
  /// is the whole range if too few values were added.
  ValueRange entropy() const;

 private:
  std::vector<double> magnitudes() const;

  ValueRange range_;
  double limit_;                 // The largest magnitude.
  std::vector<int64_t> counts_;  // The counts of equal bins from -limit_ to limit_.
};

}  // namespace linnet
