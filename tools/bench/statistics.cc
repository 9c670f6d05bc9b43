#include "bench/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace linnet::tool {

Statistics::Statistics(std::vector<double> samples) : sorted_(std::move(samples)) {
  std::sort(sorted_.begin(), sorted_.end());
  const auto n = double(sorted_.size());
  mean_ = std::accumulate(sorted_.begin(), sorted_.end(), 0.0) / n;
  const double squares = std::transform_reduce(sorted_.begin(), sorted_.end(), 0.0, std::plus<>(),
                                               [&](double x) { return (x - mean_) * (x - mean_); });
  stddev_ = std::sqrt(squares / n);
}

double Statistics::percentile(double p) const {
  const double at = p / 100 * double(sorted_.size() - 1);
  const auto below = size_t(at);
  const size_t above = std::min(below + 1, sorted_.size() - 1);
  return std::lerp(sorted_[below], sorted_[above], at - double(below));
}

}  // namespace linnet::tool
