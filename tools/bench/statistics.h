#pragma once

#include <vector>

namespace linnet::tool {

/// Statistics of latencies, which it sorts once.
class Statistics {
 public:
  /// `samples` must not be empty.
  explicit Statistics(std::vector<double> samples);

  double min() const { return sorted_.front(); }
  double max() const { return sorted_.back(); }
  double median() const { return percentile(50); }
  double mean() const { return mean_; }
  /// The standard deviation of the population: divided by n.
  double stddev() const { return stddev_; }
  /// The percentile for p in [0, 100], interpolated linearly between the two nearest samples, as by numpy.percentile.
  double percentile(double p) const;

 private:
  std::vector<double> sorted_;
  double mean_ = 0, stddev_ = 0;
};

}  // namespace linnet::tool
