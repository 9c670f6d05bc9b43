#pragma once

#include <cstdint>

namespace linnet {

/// The numbers from low to high; INT64_MIN and INT64_MAX stand for no bound.
struct Interval {
  int64_t low = INT64_MIN, high = INT64_MAX;

  bool operator==(const Interval&) const = default;
};

inline bool has_bound(int64_t value) { return value != INT64_MIN && value != INT64_MAX; }

/// The largest integer that is not above a / b, for b >= 1.
constexpr int64_t floor_quotient(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// What sums, products, powers and quotients of numbers from intervals can be, or more.
Interval operator+(Interval a, Interval b);
Interval operator*(Interval a, Interval b);
Interval power(Interval base, int exponent);
/// floor(a / b) for b >= 1.
Interval floor_quotient(Interval a, Interval b);
Interval smaller(Interval a, Interval b);
Interval larger(Interval a, Interval b);

}  // namespace linnet
