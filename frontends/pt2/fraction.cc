#include "fraction.h"

#include <numeric>

namespace linnet::pt2 {

namespace {

std::optional<int64_t> product(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

std::optional<int64_t> sum(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}

}  // namespace

MaybeFraction Fraction::of(int64_t numerator, int64_t denominator) {
  // -INT64_MIN does not fit into int64.
  if (denominator == 0 || numerator == INT64_MIN || denominator == INT64_MIN) return std::nullopt;
  const int64_t factor = std::gcd(numerator, denominator) * (denominator < 0 ? -1 : 1);
  return Fraction{numerator / factor, denominator / factor};
}

MaybeFraction add(Fraction a, Fraction b) {
  const auto left = product(a.numerator, b.denominator), right = product(b.numerator, a.denominator);
  const auto denominator = product(a.denominator, b.denominator);
  if (!left || !right || !denominator) return std::nullopt;
  const auto numerator = sum(*left, *right);
  return numerator ? Fraction::of(*numerator, *denominator) : std::nullopt;
}

MaybeFraction multiply(Fraction a, Fraction b) {
  const MaybeFraction left = Fraction::of(a.numerator, b.denominator), right = Fraction::of(b.numerator, a.denominator);
  if (!left || !right) return std::nullopt;
  const auto numerator = product(left->numerator, right->numerator);
  const auto denominator = product(left->denominator, right->denominator);
  return numerator && denominator ? Fraction::of(*numerator, *denominator) : std::nullopt;
}

MaybeFraction divide(Fraction a, Fraction b) {
  const MaybeFraction inverse = Fraction::of(b.denominator, b.numerator);
  return inverse ? multiply(a, *inverse) : std::nullopt;
}

MaybeFraction power(Fraction base, Fraction exponent) {
  if (!exponent.is_whole()) return std::nullopt;
  int64_t count = exponent.numerator;
  if (count < 0) return divide({1, 1}, base).has_value() ? power(*divide({1, 1}, base), {-count, 1}) : std::nullopt;
  const bool small = base.is_whole() && base.numerator >= -1 && base.numerator <= 1;
  if (small && count > 2) count = 2 - count % 2;  // the powers of -1, 0 and 1 repeat
  if (count > 64) return std::nullopt;
  MaybeFraction result = Fraction{1, 1};
  for (int64_t i = 0; i < count && result; ++i) result = multiply(*result, base);
  return result;
}

Fraction floor(Fraction a) {
  const int64_t quotient = a.numerator / a.denominator;
  return {a.numerator % a.denominator < 0 ? quotient - 1 : quotient, 1};
}

MaybeFraction negate(Fraction a) { return Fraction::of(-a.numerator, a.denominator); }

std::optional<int> compare(Fraction a, Fraction b) {
  const MaybeFraction opposite = negate(b);
  const MaybeFraction difference = opposite ? add(a, *opposite) : std::nullopt;
  if (!difference) return std::nullopt;
  return difference->numerator < 0 ? -1 : int(difference->numerator > 0);
}

}  // namespace linnet::pt2
