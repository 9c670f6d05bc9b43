#include "plan/linear_dim.h"

#include <algorithm>

#include "tensor/dim_substitution.h"

namespace linnet {

std::optional<LinearDim> LinearDim::of(const Dim& dim, const Dims& symbols) {
  if (dim.known()) return LinearDim{dim.value()};
  const auto at = [&](size_t one) {
    DimSubstitution numbers;
    for (size_t i = 0; i < symbols.size(); ++i) numbers.add(symbols[i], i == one ? 1 : 0);
    return numbers(dim);
  };
  const Dim base = at(symbols.size());
  Dim sum = base;
  std::vector<int64_t> slopes;
  for (size_t i = 0; i < symbols.size(); ++i) {
    const Dim slope = at(i) - base;
    if (!slope.known()) return std::nullopt;
    slopes.push_back(slope.value());
    sum += slope * symbols[i];
  }
  if (!base.known() || !certainly_equal(sum, dim)) return std::nullopt;
  return LinearDim{base.value(), std::move(slopes)};
}

std::optional<int64_t> LinearDim::at(std::span<const int64_t> numbers) const {
  int64_t result = base;
  for (size_t i = 0; i < slopes.size(); ++i) {
    int64_t more = 0;
    if (__builtin_mul_overflow(slopes[i], numbers[i], &more) || __builtin_add_overflow(result, more, &result)) {
      return std::nullopt;
    }
  }
  return result;
}

bool LinearDim::is_number() const {
  return std::ranges::all_of(slopes, [](int64_t slope) { return slope == 0; });
}

}  // namespace linnet
