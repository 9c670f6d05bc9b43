#pragma once

#include <cstdint>
#include <optional>

namespace linnet::pt2 {

/// A rational number in lowest terms with a positive denominator. Operations that overflow or divide by zero return
/// nothing.
struct Fraction {
  int64_t numerator = 0;
  int64_t denominator = 1;

  static std::optional<Fraction> of(int64_t numerator, int64_t denominator);
  bool is_whole() const { return denominator == 1; }
};

using MaybeFraction = std::optional<Fraction>;

MaybeFraction add(Fraction a, Fraction b);
MaybeFraction multiply(Fraction a, Fraction b);
MaybeFraction divide(Fraction a, Fraction b);
MaybeFraction power(Fraction base, Fraction exponent);  ///< for whole exponents
Fraction floor(Fraction a);
MaybeFraction negate(Fraction a);
/// Returns the sign of a - b as -1, 0 or 1, or nothing if it overflows.
std::optional<int> compare(Fraction a, Fraction b);

}  // namespace linnet::pt2
