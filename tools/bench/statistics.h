#pragma once

#include <vector>

namespace linnet::tool {

/// What a set of latencies looks like. Sorts them once.
class Statistics {
 public:
  /// At least one sample.
  explicit Statistics(std::vector<double> samples);

  double min() const { return sorted_.front(); }
  double max() const { return sorted_.back(); }
  double median() const { return percentile(50); }
  double mean() const { return mean_; }
  /// Of the population: divided by n.
  double stddev() const { return stddev_; }
  /// p in [0, 100], linear between the two nearest samples, as numpy.percentile.
  double percentile(double p) const;

 private:
  std::vector<double> sorted_;
  double mean_ = 0, stddev_ = 0;
};

}  // namespace linnet::tool
