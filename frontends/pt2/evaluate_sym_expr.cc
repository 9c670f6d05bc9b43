#include <algorithm>
#include <cmath>
#include <iterator>
#include <locale>
#include <sstream>

#include "fraction.h"
#include "sym_expr.h"

namespace linnet::pt2 {

namespace {

using Values = std::span<const Fraction>;
using Symbols = std::map<std::string, int64_t>;

template <class F>
MaybeFraction fold(Values values, F&& f) {
  MaybeFraction result = values[0];
  for (const Fraction value : values.subspan(1)) {
    if (result) result = f(*result, value);
  }
  return result;
}

MaybeFraction sum_of(Values v) { return fold(v, add); }
MaybeFraction product_of(Values v) { return fold(v, multiply); }

/// Returns 1 if compare(v[0], v[1]) is between `least` and `greatest`, else 0.
MaybeFraction compares(Values v, int least, int greatest) {
  const std::optional<int> sign = compare(v[0], v[1]);
  if (!sign) return std::nullopt;
  return Fraction{*sign >= least && *sign <= greatest, 1};
}

/// Returns the value that compare() orders first (Wanted = -1) or last (Wanted = 1).
template <int Wanted>
MaybeFraction extreme(Values v) {
  return fold(v, [](Fraction a, Fraction b) -> MaybeFraction {
    const std::optional<int> sign = compare(a, b);
    if (!sign) return std::nullopt;
    return *sign == Wanted ? a : b;
  });
}

/// Returns f of a number, or nothing if there is no number.
template <class F>
MaybeFraction then(const MaybeFraction& value, F&& f) {
  return value ? MaybeFraction(f(*value)) : std::nullopt;
}

MaybeFraction power_of(Values v) { return power(v[0], v[1]); }
MaybeFraction quotient(Values v) { return divide(v[0], v[1]); }
MaybeFraction floor_of(Values v) { return floor(v[0]); }
MaybeFraction same(Values v) { return v[0]; }
MaybeFraction not_of(Values v) { return Fraction{v[0].numerator == 0, 1}; }

MaybeFraction ceiling_of(Values v) {
  return then(negate(v[0]), [](Fraction opposite) { return negate(floor(opposite)); });
}

MaybeFraction truncated(Values v) { return v[0].numerator < 0 ? ceiling_of(v) : floor_of(v); }

MaybeFraction floor_quotient(Values v) { return then(divide(v[0], v[1]), floor); }

MaybeFraction ceiling_quotient(Values v) {
  return then(divide(v[0], v[1]), [](Fraction ratio) { return ceiling_of({&ratio, 1}); });
}

MaybeFraction clean_quotient(Values v) {
  const MaybeFraction ratio = divide(v[0], v[1]);
  return ratio && ratio->is_whole() ? ratio : std::nullopt;
}

MaybeFraction remainder_of(Values v) {
  const MaybeFraction part = then(floor_quotient(v), [&](Fraction whole) { return multiply(whole, v[1]); });
  return then(then(part, negate), [&](Fraction opposite) { return add(v[0], opposite); });
}

/// Computes (v[0] // v[1]) % v[2].
MaybeFraction modular_index(Values v) {
  return then(floor_quotient(v), [&](Fraction whole) {
    const Fraction parts[] = {whole, v[2]};
    return remainder_of(parts);
  });
}

MaybeFraction shifted_left(Values v) {
  return then(power({2, 1}, v[1]), [&](Fraction factor) { return multiply(v[0], factor); });
}

MaybeFraction shifted_right(Values v) {
  return then(power({2, 1}, v[1]), [&](Fraction factor) {
    const Fraction parts[] = {v[0], factor};
    return floor_quotient(parts);
  });
}

/// Whether a double holds numerator and denominator exactly. Beyond 2^53, division and conversion to double round;
/// fractions do not.
bool is_exact_double(Fraction a) {
  constexpr int64_t kLimit = int64_t{1} << 53;
  return std::abs(a.numerator) <= kLimit && a.denominator <= kLimit;
}
MaybeFraction to_double(Values v) { return is_exact_double(v[0]) ? MaybeFraction(v[0]) : std::nullopt; }
MaybeFraction double_quotient(Values v) {
  return is_exact_double(v[0]) && is_exact_double(v[1]) ? divide(v[0], v[1]) : std::nullopt;
}

MaybeFraction all_of(Values v) {
  return Fraction{std::all_of(v.begin(), v.end(), [](Fraction a) { return a.numerator != 0; }), 1};
}
MaybeFraction any_of(Values v) {
  return Fraction{std::any_of(v.begin(), v.end(), [](Fraction a) { return a.numerator != 0; }), 1};
}
MaybeFraction chosen(Values v) { return v[0].numerator != 0 ? v[1] : v[2]; }

MaybeFraction equal_to(Values v) { return compares(v, 0, 0); }
MaybeFraction less(Values v) { return compares(v, -1, -1); }
MaybeFraction at_most(Values v) { return compares(v, -1, 0); }
MaybeFraction greater(Values v) { return compares(v, 1, 1); }
MaybeFraction at_least(Values v) { return compares(v, 0, 1); }
MaybeFraction unequal(Values v) {
  return then(equal_to(v), [](Fraction equal) { return not_of({&equal, 1}); });
}

MaybeFraction true_value(Values) { return Fraction{1, 1}; }
MaybeFraction false_value(Values) { return Fraction{0, 1}; }

struct Function {
  std::string_view head;
  size_t least, most;  // the number of arguments
  MaybeFraction (*compute)(Values values);
};

constexpr size_t kAny = SIZE_MAX;

/// The functions of SymPy and of torch/utils/_sympy/functions.py.
constexpr Function kFunctions[] = {
    {"Abs", 1, 1, [](Values v) { return v[0].numerator < 0 ? negate(v[0]) : same(v); }},
    {"Add", 1, kAny, sum_of},
    {"And", 1, kAny, all_of},
    {"CeilDiv", 2, 2, ceiling_quotient},
    {"CeilToInt", 1, 1, ceiling_of},
    {"CleanDiv", 2, 2, clean_quotient},
    {"Equality", 2, 2, equal_to},
    {"FloatTrueDiv", 2, 2, double_quotient},
    {"FloorDiv", 2, 2, floor_quotient},
    {"FloorToInt", 1, 1, floor_of},
    {"GreaterThan", 2, 2, at_least},
    {"Identity", 1, 1, same},
    {"IntTrueDiv", 2, 2, double_quotient},
    {"LShift", 2, 2, shifted_left},
    {"LessThan", 2, 2, at_most},
    {"Max", 1, kAny, extreme<1>},
    {"Min", 1, kAny, extreme<-1>},
    {"Mod", 2, 2, remainder_of},
    {"ModularIndexing", 3, 3, modular_index},
    {"Mul", 1, kAny, product_of},
    {"Not", 1, 1, not_of},
    {"Or", 1, kAny, any_of},
    {"Pow", 2, 2, power_of},
    {"PowByNatural", 2, 2, power_of},
    {"PythonMod", 2, 2, remainder_of},
    {"RShift", 2, 2, shifted_right},
    {"Rational", 2, 2, quotient},
    {"StrictGreaterThan", 2, 2, greater},
    {"StrictLessThan", 2, 2, less},
    {"ToFloat", 1, 1, to_double},
    {"TruncToFloat", 1, 1, truncated},
    {"TruncToInt", 1, 1, truncated},
    {"Unequality", 2, 2, unequal},
    {"Where", 3, 3, chosen},
    {"ceiling", 1, 1, ceiling_of},
    {"false", 0, 0, false_value},
    {"floor", 1, 1, floor_of},
    {"true", 0, 0, true_value},
};

const Function* function_of(std::string_view head, size_t arguments) {
  const auto* const found = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                         [&](const Function& function) { return function.head == head; });
  const bool fits = found != std::end(kFunctions) && arguments >= found->least && arguments <= found->most;
  return fits ? found : nullptr;
}

/// Returns the value of a number with at most 16 fractional bits. Only for these is arithmetic exact for practical
/// sizes.
MaybeFraction float_value(const std::string& text) {
  constexpr double kScale = 65536, kLimit = double(int64_t{1} << 53);
  std::istringstream in(text);
  in.imbue(std::locale::classic());
  double value = 0;
  if (!(in >> value)) return std::nullopt;
  const double scaled = value * kScale;
  if (!(std::abs(scaled) < kLimit) || scaled != std::floor(scaled)) return std::nullopt;
  return Fraction::of(int64_t(scaled), int64_t(kScale));
}

MaybeFraction value_of(const SymExpr& expr, const Symbols& symbols) {
  if (expr.is_integer()) return Fraction::of(expr.integer(), 1);
  if (expr.is_symbol()) {
    const auto found = symbols.find(expr.name());
    return found != symbols.end() ? Fraction::of(found->second, 1) : std::nullopt;
  }
  if (expr.head() == "Float") return float_value(expr.text());
  const Function* const function = function_of(expr.head(), expr.arguments().size());
  if (!function) return std::nullopt;
  std::vector<Fraction> values;
  for (const SymExpr& argument : expr.arguments()) {
    const MaybeFraction value = value_of(argument, symbols);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return function->compute(values);
}

}  // namespace

std::optional<int64_t> SymExpr::evaluate(const Symbols& symbols) const {
  if (is_integer()) return integer_;
  const MaybeFraction value = value_of(*this, symbols);
  if (!value || !value->is_whole()) return std::nullopt;
  return value->numerator;
}

}  // namespace linnet::pt2
