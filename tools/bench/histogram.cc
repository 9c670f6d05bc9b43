#include "bench/histogram.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace linnet::tool {
namespace {

/// The bound of index i: 1, 2, 5, 10, ... from index 0 on; index -1 is 0.5.
double bound(int i) {
  static constexpr std::array kSteps{1.0, 2.0, 5.0};
  const int power = i >= 0 ? i / 3 : -((2 - i) / 3);
  return kSteps[size_t(i - 3 * power)] * std::pow(10.0, power);
}

/// The index of the last bound that is not above the sample.
int bound_below(double sample) {
  int i = 3 * int(std::floor(std::log10(sample)));
  while (bound(i) > sample) --i;
  while (bound(i + 1) <= sample) ++i;
  return i;
}

}  // namespace

std::vector<Bucket> histogram(const std::vector<double>& samples) {
  const auto [least, most] = std::minmax_element(samples.begin(), samples.end());
  const int first = bound_below(*least), last = bound_below(*most);
  std::vector<Bucket> buckets;
  for (int i = first; i <= last; ++i) buckets.push_back({bound(i), bound(i + 1), 0});
  for (const double sample : samples) ++buckets[size_t(bound_below(sample) - first)].count;
  return buckets;
}

}  // namespace linnet::tool
