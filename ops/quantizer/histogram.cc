#include "quantizer/histogram.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "elements/axis_index.h"

namespace linnet {
namespace {

constexpr int64_t kBins = 4096;
constexpr int64_t kHalf = kBins / 2;           // The number of bins of each sign.
constexpr int64_t kStride = 8;                 // The number of bins between the limits that are tried.
constexpr double kLeast = 16 * double(kHalf);  // The fewest values that form a distribution.
constexpr double kTiny = 1e-9;                 // Replaces a share of 0.

/// The relative entropy of the distribution of values clipped to the first `bins`, and that of the same values rounded
/// to `levels` levels.
double relative_entropy(const std::vector<double>& counts, int64_t bins, int64_t levels) {
  const double inside = std::accumulate(counts.begin(), counts.begin() + bins, 0.0);
  const double all = std::accumulate(counts.begin() + bins, counts.end(), inside);
  double sum = 0;
  for (int64_t level = 0; level < levels; ++level) {
    const int64_t begin = level * bins / levels, end = (level + 1) * bins / levels;
    const double total = std::accumulate(counts.begin() + begin, counts.begin() + end, 0.0);
    const auto used = std::count_if(counts.begin() + begin, counts.begin() + end, [](double n) { return n > 0; });
    for (int64_t i = begin; i < end; ++i) {
      const double clipped = counts[size_t(i)] + (i == bins - 1 ? all - inside : 0);
      const double rounded = counts[size_t(i)] > 0 ? total / double(used) / inside : kTiny;
      if (clipped > 0) sum += clipped / all * std::log(clipped / all / rounded);
    }
  }
  return sum;
}

/// Replaces each bin by the mean of `width` bins around it. Differences below the scale of the widest grid do not
/// matter.
std::vector<double> smoothed(const std::vector<double>& counts, int64_t width) {
  std::vector<double> result(counts.size());
  for (int64_t i = 0; i < int64_t(counts.size()); ++i) {
    const int64_t begin = std::max<int64_t>(i - width / 2, 0), end = std::min(i + width / 2, int64_t(counts.size()));
    result[size_t(i)] = std::accumulate(counts.begin() + begin, counts.begin() + end, 0.0) / double(end - begin);
  }
  return result;
}

}  // namespace

void ValueRange::include(const ValueRange& other) {
  low = std::min(low, other.low);
  high = std::max(high, other.high);
}

Histogram::Histogram(const ValueRange& range)
    : range_(range), limit_(std::max(-double(range.low), double(range.high))), counts_(size_t(kBins), 0) {}

void Histogram::add(std::span<const float> values) {
  const double scale = limit_ > 0 ? double(kHalf) / limit_ : 0;
  for (const float value : values) {
    if (value != 0) ++counts_[size_t(axis_index(std::floor(double(value) * scale) + double(kHalf), kBins))];
  }
}

ValueRange Histogram::percentile(double percent) const {
  const double width = limit_ / double(kHalf);
  const auto all = double(std::accumulate(counts_.begin(), counts_.end(), int64_t{0}));
  const double outside = all * (100 - percent) / 200;
  int64_t first = 0, last = kBins - 1;
  for (auto sum = double(counts_[0]); first < last && sum <= outside; sum += double(counts_[size_t(first)])) ++first;
  for (auto sum = double(counts_.back()); last > first && sum <= outside; sum += double(counts_[size_t(last)])) --last;
  const auto low = float(double(first - kHalf) * width), high = float(double(last + 1 - kHalf) * width);
  return {std::clamp(low, range_.low, 0.0f), std::clamp(high, 0.0f, range_.high)};
}

std::vector<double> Histogram::magnitudes() const {
  std::vector<double> counts(size_t(kHalf), 0);
  for (int64_t i = 0; i < kHalf; ++i) {
    counts[size_t(i)] = double(counts_[size_t(kHalf + i)] + counts_[size_t(kHalf - 1 - i)]);
  }
  return counts;
}

ValueRange Histogram::entropy() const {
  const int64_t levels = range_.low < 0 && range_.high > 0 ? 128 : 256;
  const std::vector<double> counts = smoothed(magnitudes(), kHalf / levels);
  if (std::accumulate(counts.begin(), counts.end(), 0.0) < kLeast) return range_;
  int64_t best = kHalf;
  double least = relative_entropy(counts, kHalf, levels);
  for (int64_t bins = kHalf - kStride; bins >= levels; bins -= kStride) {
    if (counts[0] == 0 && std::accumulate(counts.begin(), counts.begin() + bins, 0.0) == 0) break;
    const double entropy = relative_entropy(counts, bins, levels);
    if (entropy < least) {
      least = entropy;
      best = bins;
    }
  }
  const auto limit = float(limit_ * double(best) / double(kHalf));
  return {std::max(range_.low, -limit), std::min(range_.high, limit)};
}

}  // namespace linnet
