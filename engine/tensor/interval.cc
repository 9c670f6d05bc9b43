#include "tensor/interval.h"

#include <algorithm>

namespace linnet {
namespace {

/// a + b; `none` if one of them is not a bound, or the sum overflows.
int64_t sum_of_bounds(int64_t a, int64_t b, int64_t none) {
  int64_t result = 0;
  return has_bound(a) && has_bound(b) && !__builtin_add_overflow(a, b, &result) ? result : none;
}

/// a * b, where a missing bound counts as infinite.
int64_t product_of_bounds(int64_t a, int64_t b) {
  int64_t result = 0;
  if (a == 0 || b == 0) return 0;
  if (has_bound(a) && has_bound(b) && !__builtin_mul_overflow(a, b, &result)) return result;
  return (a < 0) != (b < 0) ? INT64_MIN : INT64_MAX;
}

/// The quotient of a bound. It is extreme for the smallest or the largest divisor.
int64_t quotient_of_bounds(int64_t a, int64_t divisor) {
  if (!has_bound(a)) return a;
  if (divisor == INT64_MAX) return a < 0 ? -1 : 0;
  return floor_quotient(a, divisor);
}

}  // namespace

Interval operator+(Interval a, Interval b) {
  return {sum_of_bounds(a.low, b.low, INT64_MIN), sum_of_bounds(a.high, b.high, INT64_MAX)};
}

Interval operator*(Interval a, Interval b) {
  const auto [low, high] = std::minmax({product_of_bounds(a.low, b.low), product_of_bounds(a.low, b.high),
                                        product_of_bounds(a.high, b.low), product_of_bounds(a.high, b.high)});
  return {low, high};
}

Interval power(Interval base, int exponent) {
  Interval result = base;
  for (int i = 1; i < exponent; ++i) result = result * base;
  if (exponent % 2 == 0) result.low = std::max<int64_t>(result.low, 0);
  return result;
}

Interval floor_quotient(Interval a, Interval b) {
  const int64_t least = std::max<int64_t>(b.low, 1), most = std::max(b.high, least);
  return {quotient_of_bounds(a.low, a.low < 0 ? least : most), quotient_of_bounds(a.high, a.high < 0 ? most : least)};
}

Interval smaller(Interval a, Interval b) { return {std::min(a.low, b.low), std::min(a.high, b.high)}; }
Interval larger(Interval a, Interval b) { return {std::max(a.low, b.low), std::max(a.high, b.high)}; }

}  // namespace linnet
