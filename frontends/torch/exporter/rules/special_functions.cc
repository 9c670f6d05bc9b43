#include <cmath>
#include <iterator>

#include "building_blocks.h"
#include "rule_list.h"

// Gamma and Bessel functions and related elementwise functions. Most compute in float64.
namespace linnet::exporter {
namespace {

std::string constant_number(Call& call, double value) { return call.scalar(value, DType::kFloat64); }
std::string in_double(Call& call, const std::string& name = "self") { return call.value(name, DType::kFloat64); }
std::string sum_of(Call& call, const std::string& a, const std::string& b) { return call.emit("Add", {a, b}); }
std::string product_of(Call& call, const std::string& a, const std::string& b) { return call.emit("Mul", {a, b}); }

void set_narrow(Call& call, const std::string& y) { call.set(call.cast(y, call.dtype())); }

/// Returns the polynomial with these coefficients, the highest power first.
std::string polynomial(Call& call, const Numbers& coefficients, const std::string& x) {
  std::string y = constant_number(call, coefficients.front());
  for (size_t i = 1; i < coefficients.size(); ++i) {
    y = sum_of(call, product_of(call, y, x), constant_number(call, coefficients[i]));
  }
  return y;
}

/// Returns x - floor(x).
std::string fraction_of(Call& call, const std::string& x) { return call.emit("Sub", {x, call.emit("Floor", {x})}); }

/// The coefficients of Lanczos's approximation for g = 7.
/// Source: https://en.wikipedia.org/wiki/Lanczos_approximation#Simple_implementation
constexpr double kLanczos[] = {0.99999999999980993,  676.5203681218851,     -1259.1392167224028,
                               771.32342877765313,   -176.61502916214059,   12.507343278686905,
                               -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7};

/// Returns log(gamma(x)) for x >= 1/2.
std::string lgamma_right(Call& call, const std::string& x) {
  std::string series = constant_number(call, kLanczos[0]);
  for (size_t i = 1; i < std::size(kLanczos); ++i) {
    const std::string place = sum_of(call, x, constant_number(call, double(i) - 1));
    series = sum_of(call, series, call.emit("Div", {constant_number(call, kLanczos[i]), place}));
  }
  const std::string t = sum_of(call, x, constant_number(call, 6.5)),
                    power = call.emit("Sub", {x, constant_number(call, 0.5)});
  const std::string growth = call.emit("Sub", {product_of(call, power, call.emit("Log", {t})), t});
  const std::string rest = sum_of(call, call.emit("Log", {series}), constant_number(call, 0.5 * std::log(2 * M_PI)));
  return sum_of(call, growth, rest);
}

/// Returns log(|gamma(x)|). Below 1/2, it is log(pi / |sin(pi x)|) - lgamma(1 - x).
std::string lgamma_of(Call& call, const std::string& x) {
  const std::string is_left = call.emit("Less", {x, constant_number(call, 0.5)});
  const std::string mirrored = call.emit("Where", {is_left, call.emit("Sub", {constant_number(call, 1), x}), x});
  const std::string right = lgamma_right(call, mirrored);
  const std::string wave = call.emit("Sin", {product_of(call, fraction_of(call, x), constant_number(call, M_PI))});
  const std::string height =
      call.emit("Log", {call.emit("Div", {constant_number(call, M_PI), call.emit("Abs", {wave})})});
  const std::string y = call.emit("Where", {is_left, call.emit("Sub", {height, right}), right});
  const std::string infinity = constant_number(call, INFINITY);
  const std::string is_infinite = call.emit("Equal", {call.emit("Abs", {x}), infinity});
  return call.emit("Where", {is_infinite, infinity, y});
}

void lgamma(Call& call) { set_narrow(call, lgamma_of(call, in_double(call))); }

/// Emits p (p - 1) / 4 log(pi) plus the sum of lgamma(x - j / 2) for j < p.
void mvlgamma(Call& call) {
  const int64_t p = call.positive("p");
  rounds_of(call, "p");
  std::string y = constant_number(call, double(p) * double(p - 1) / 4 * std::log(M_PI));
  for (int64_t j = 0; j < p; ++j) {
    const std::string moved = call.emit("Sub", {in_double(call), constant_number(call, double(j) / 2)});
    y = sum_of(call, y, lgamma_of(call, moved));
  }
  set_narrow(call, y);
}

/// Returns digamma(x) for x >= 1/2, by eight steps up to where the asymptotic series is accurate.
/// Source: https://en.wikipedia.org/wiki/Digamma_function#Computation_and_approximation
std::string digamma_right(Call& call, const std::string& x) {
  constexpr int kSteps = 8;
  std::string below = constant_number(call, 0);
  for (int i = 0; i < kSteps; ++i) {
    below = sum_of(call, below, call.emit("Reciprocal", {sum_of(call, x, constant_number(call, i))}));
  }
  const std::string z = sum_of(call, x, constant_number(call, kSteps)), inverse = call.emit("Reciprocal", {z});
  const Numbers terms{-1.0 / 132, 1.0 / 240, -1.0 / 252, 1.0 / 120, -1.0 / 12, 0};
  const std::string series = polynomial(call, terms, product_of(call, inverse, inverse));
  const std::string half = product_of(call, inverse, constant_number(call, 0.5));
  const std::string far = sum_of(call, call.emit("Sub", {call.emit("Log", {z}), half}), series);
  return call.emit("Sub", {far, below});
}

/// Returns digamma(x). Below 1/2, it is digamma(1 - x) - pi / tan(pi x).
std::string digamma_of(Call& call, const std::string& x) {
  const std::string zero = constant_number(call, 0), is_left = call.emit("Less", {x, constant_number(call, 0.5)});
  const std::string mirrored = call.emit("Where", {is_left, call.emit("Sub", {constant_number(call, 1), x}), x});
  const std::string right = digamma_right(call, mirrored), part = fraction_of(call, x);
  const std::string angle = product_of(call, part, constant_number(call, M_PI));
  const std::string slope = call.emit("Div", {call.emit("Sin", {angle}), call.emit("Cos", {angle})});
  const std::string left = call.emit("Sub", {right, call.emit("Div", {constant_number(call, M_PI), slope})});
  const std::string is_pole = call.emit("And", {call.emit("Less", {x, zero}), call.emit("Equal", {part, zero})});
  return call.emit("Where", {is_pole, constant_number(call, NAN), call.emit("Where", {is_left, left, right})});
}

void digamma(Call& call) { set_narrow(call, digamma_of(call, in_double(call))); }

/// The largest |x| for bessel_near(), which returns I_order(|x|) / e^|x| for order 0 or 1. It uses the trapezoidal rule
/// for the integral of e^(x cos t) cos(order t) over the circle, at half of the points because of symmetry.
constexpr double kFar = 30;

std::string bessel_near(Call& call, const std::string& size, int order) {
  constexpr int kPoints = 48;
  Numbers exponents, weights;
  for (int i = 0; i <= kPoints / 2; ++i) {
    const double cosine = std::cos(2 * M_PI * i / kPoints);
    const bool is_end = i == 0 || i == kPoints / 2;
    exponents.push_back(cosine - 1);
    weights.push_back((is_end ? 1 : 2) * (order == 0 ? 1 : cosine) / kPoints);
  }
  const Shape points{std::ssize(weights)};
  const std::string column = change_axes(call, "Unsqueeze", size, {-1});
  const std::string powers =
      call.emit("Exp", {product_of(call, column, call.constant_of(exponents, points, DType::kFloat64))});
  return call.emit("MatMul", {powers, call.constant_of(weights, points, DType::kFloat64)});
}

/// Does the same for |x| of at least kFar, by Hankel's expansion.
/// Source: https://dlmf.nist.gov/10.40
std::string bessel_far(Call& call, const std::string& size, int order) {
  constexpr int kTerms = 13;
  const std::string x = call.emit("Max", {size, constant_number(call, kFar)});
  Numbers terms{1};
  for (int k = 1; k < kTerms; ++k) {
    const double odd = 2 * k - 1;
    terms.insert(terms.begin(), -terms.front() * (4 * order * order - odd * odd) / (8.0 * k));
  }
  const std::string series = polynomial(call, terms, call.emit("Reciprocal", {x}));
  return call.emit("Div", {series, call.emit("Sqrt", {product_of(call, x, constant_number(call, 2 * M_PI))})});
}

/// Emits the modified Bessel function of the first kind; with `scaled`, divided by e^|x|.
Lowering bessel(int order, bool scaled) {
  return [=](Call& call) {
    const std::string x = in_double(call), size = call.emit("Abs", {x});
    const std::string is_far = call.emit("Greater", {size, constant_number(call, kFar)});
    const std::string near = bessel_near(call, call.emit("Min", {size, constant_number(call, kFar)}), order);
    std::string y = call.emit("Where", {is_far, bessel_far(call, size, order), near});
    if (order == 1) y = product_of(call, y, call.emit("Sign", {x}));
    set_narrow(call, scaled ? y : product_of(call, y, call.emit("Exp", {size})));
  };
}

/// Emits the cumulative normal distribution: (1 + erf(x / sqrt(2))) / 2.
void ndtr(Call& call) {
  const DType dtype = call.dtype();
  const std::string scaled = product_of(call, call.value("self", dtype), call.scalar(std::sqrt(0.5), dtype));
  const std::string above = sum_of(call, call.emit("Erf", {scaled}), call.scalar(1, dtype));
  call.set(product_of(call, above, call.scalar(0.5, dtype)));
}

}  // namespace

void register_special_functions(Lowerings& lowerings) {
  lowerings.add({"aten::lgamma", "aten::special_gammaln"}, lgamma);
  lowerings.add({"aten::mvlgamma", "aten::special_multigammaln"}, mvlgamma);
  lowerings.add({"aten::digamma", "aten::special_digamma", "aten::special_psi"}, digamma);
  lowerings.add({"aten::i0", "aten::special_i0"}, bessel(0, false));
  lowerings.add("aten::special_i0e", bessel(0, true));
  lowerings.add("aten::special_i1", bessel(1, false));
  lowerings.add("aten::special_i1e", bessel(1, true));
  lowerings.add("aten::special_ndtr", ndtr);
}

}  // namespace linnet::exporter
