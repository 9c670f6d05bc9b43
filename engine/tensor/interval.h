#pragma once

#include <cstdint>

namespace linnet {

/// The numbers from low to high. INT64_MIN and INT64_MAX mean no bound.
struct Interval {
  int64_t low = INT64_MIN, high = INT64_MAX;

  bool operator==(const Interval&) const = default;
};

inline bool has_bound(int64_t value) { return value != INT64_MIN && value != INT64_MAX; }

/// The largest integer that is not above a / b. b must be at least 1.
constexpr int64_t floor_quotient(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// Intervals that contain all sums, products, powers, quotients, minima and maxima of numbers from the operands.
Interval operator+(Interval a, Interval b);
Interval operator*(Interval a, Interval b);
Interval power(Interval base, int exponent);
/// floor(a / b). b must be at least 1.
Interval floor_quotient(Interval a, Interval b);
Interval smaller(Interval a, Interval b);
Interval larger(Interval a, Interval b);

}  // namespace linnet
