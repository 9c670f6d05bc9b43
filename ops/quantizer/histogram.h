#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linnet/quantize.h"

namespace linnet {

/// The values from low to high, which holds 0.
struct ValueRange {
  float low = 0, high = 0;

  void include(const ValueRange& other);
};

/// How often values of each size occur. Values that are 0 do not count: every grid has them.
class Histogram {
 public:
  explicit Histogram(const ValueRange& range);
  void add(std::span<const float> values);

  /// The part of the range that leaves out (100 - percent) / 2 percent of the values on each side.
  ValueRange percentile(double percent) const;
  /// The part of the range whose rounded values have the least relative entropy (see CalibrationMethod::kEntropy); all
  /// of it where too few values were added to tell.
  ValueRange entropy() const;

 private:
  std::vector<double> magnitudes() const;

  ValueRange range_;
  double limit_;                 // the largest magnitude
  std::vector<int64_t> counts_;  // of equal bins from -limit_ to limit_
};

}  // namespace linnet
