#include "comparison.h"

#include <cmath>
#include <limits>

#include "exporter/constants.h"
#include "exporter/export_error.h"

namespace linnet::exporter {
namespace {

/// The difference of two elements, and by how much it exceeds the tolerance.
struct Deviation {
  double difference = 0, excess = 0;
};

template <class T, class Deviate>
Comparison compare_elements(const std::vector<T>& got, const std::vector<T>& expected, const Deviate& deviate) {
  Comparison result;
  size_t differing = 0, worst = 0;
  double most = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    const Deviation deviation = deviate(got[i], expected[i]);
    result.largest = std::max(result.largest, deviation.difference);
    if (!(deviation.excess > 0)) continue;
    ++differing;
    if (deviation.excess > most) most = deviation.excess, worst = i;
  }
  if (differing > 0) {
    result.problem = text_of(differing, " of ", got.size(), " elements differ; at ", worst, " ", got[worst],
                             " for PyTorch's ", expected[worst]);
  }
  return result;
}

}  // namespace

Comparison compare(const Tensor& got, const Tensor& expected, const Options& options, double slack) {
  if (got.dtype() != expected.dtype()) {
    return {text_of("dtype ", got.dtype(), " for PyTorch's ", expected.dtype())};
  }
  if (got.shape() != expected.shape()) {
    return {text_of("shape ", got.shape(), " for PyTorch's ", expected.shape())};
  }
  if (!is_floating(got.dtype())) {
    return compare_elements(integers_in(got), integers_in(expected), [](int64_t mine, int64_t theirs) {
      const double difference = std::abs(double(mine) - double(theirs));
      return Deviation{difference, mine == theirs ? 0.0 : std::max(difference, 1.0)};
    });
  }
  return compare_elements(numbers_in(got), numbers_in(expected), [&](double mine, double theirs) {
    if (mine == theirs || (std::isnan(mine) && std::isnan(theirs))) return Deviation{};
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double difference = std::isfinite(mine) && std::isfinite(theirs) ? std::abs(mine - theirs) : kInfinity;
    return Deviation{difference,
                     difference - (std::isfinite(theirs) ? options.atol + options.rtol * std::abs(theirs) + slack : 0)};
  });
}

}  // namespace linnet::exporter
