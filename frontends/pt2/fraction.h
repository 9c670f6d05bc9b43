#pragma once

#include <cstdint>
#include <optional>

namespace linnet::pt2 {

/// A rational number in lowest terms; the denominator is positive. Whatever overflows, or divides by zero, is nothing.
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
MaybeFraction power(Fraction base, Fraction exponent);  ///< of whole exponents
Fraction floor(Fraction a);
MaybeFraction negate(Fraction a);
/// -1, 0 or 1: the sign of a - b; nothing where it overflows.
std::optional<int> compare(Fraction a, Fraction b);

}  // namespace linnet::pt2
