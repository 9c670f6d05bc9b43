#include "linnet/dim.h"

#include <algorithm>
#include <numeric>
#include <ostream>
#include <sstream>
#include <utility>

#include "tensor/polynomial.h"

namespace linnet {
namespace {

constexpr int kMostNesting = 4;

std::string text_of(const Dim& dim) {
  std::ostringstream out;
  out << dim;
  return out.str();
}

/// In parentheses where it is a sum or a product.
std::string operand_text(const Dim& dim) {
  const std::string text = text_of(dim);
  const Polynomial* const p = Polynomial::expression(dim);
  const bool simple = !p || (p->terms.size() == 1 && p->terms[0].coefficient == 1 && p->terms[0].factors.size() == 1);
  return simple ? text : "(" + text + ")";
}

Interval bounds_of(const Dim& dim) { return {dim.least(), dim.most()}; }


int nesting(const Dim& dim) {
  int result = 0;
  if (const Polynomial* const p = Polynomial::expression(dim)) {
    for (const Term& term : p->terms) {
      for (const Factor& factor : term.factors) result = std::max(result, factor.atom->nesting);
    }
  }
  return result;
}

int size(const Dim& dim) {
  int result = 0;
  if (const Polynomial* const p = Polynomial::expression(dim)) {
    for (const Term& term : p->terms) {
      for (const Factor& factor : term.factors) result += factor.power * factor.atom->size;
    }
  }
  return result;
}

/// An atom of two operands; unknown beyond the limits.
Dim atom(Atom::Kind kind, std::string text, Interval bounds, const Dim& a, const Dim& b) {
  const int nested = std::max(nesting(a), nesting(b)) + 1;
  if (nested > kMostNesting) return {};
  const auto counted = std::make_shared<CountedMemory>();
  counted->add(sizeof(Atom) + text.size());
  return Polynomial::of(std::make_shared<const Atom>(
      Atom{kind, std::move(text), bounds, a, b, nested, std::max(size(a) + size(b), 1), counted}));
}

int64_t floor_of(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

Interval quotient_bounds(Interval a, Interval b) {  // b.low >= 1
  const auto divided = [](int64_t x, int64_t small, int64_t large, int64_t none) {
    if (x == none) return none;
    const int64_t by = x < 0 ? small : large;
    if (by == INT64_MAX) return x < 0 ? int64_t{-1} : int64_t{0};
    return floor_of(x, by);
  };
  return {divided(a.low, b.low, b.high, INT64_MIN), divided(a.high, b.high, b.low, INT64_MAX)};
}

/// a / b where that is a polynomial, for a b that is not 0; the quotient and the remainder where both are not empty.
std::pair<Dim, Dim> divide(const Dim& a, const Dim& b) {
  const Terms divisor = Polynomial::of(b);
  Dim result = 0, rest = a;
  for (int i = 0; i < 64; ++i) {
    const Terms terms = Polynomial::of(rest);
    std::optional<Term> term;
    for (size_t t = 0; t < terms.size() && !term; ++t) term = quotient(terms[t], divisor[0]);
    if (!term) return {result, rest};
    const Dim part = Polynomial::sum({*term});
    result = result + part;
    rest = rest - part * b;
    if (!result.told() || !rest.told()) break;
  }
  return {};
}

/// The factors that all terms of both have in common, of those that are certainly 1 or more, and the greatest common
/// divisor of all coefficients.
Term common_factor(const Terms& a, const Terms& b) {
  Term common{0, b[0].factors};
  for (const Terms* terms : {&a, &b}) {
    for (const Term& term : *terms) {
      common.coefficient = std::gcd(common.coefficient, term.coefficient);
      std::erase_if(common.factors, [&](Factor& mine) {
        if (mine.atom->bounds.low < 1) return true;
        for (const Factor& factor : term.factors) {
          if (factor.atom->kind != mine.atom->kind || factor.atom->text != mine.atom->text) continue;
          mine.power = std::min(mine.power, factor.power);
          return false;
        }
        return true;
      });
    }
  }
  return common;
}

/// Both without what divides all of their terms.
std::pair<Dim, Dim> reduced(const Dim& a, const Dim& b) {
  const Terms dividend = Polynomial::of(a), divisor = Polynomial::of(b);
  const Term common = common_factor(dividend, divisor);
  if (common.coefficient == 1 && common.factors.empty()) return {a, b};
  const auto cut = [&](const Terms& terms) {
    Terms result;
    for (const Term& term : terms) result.push_back(*quotient(term, common));
    return Polynomial::sum(std::move(result));
  };
  return {cut(dividend), cut(divisor)};
}

/// The operands of a floor and what is added to it, where that is all of the dim.
std::optional<std::pair<const Atom*, int64_t>> floor_and_number(const Dim& dim) {
  const Polynomial* const p = Polynomial::expression(dim);
  if (!p || p->terms.size() > 2 || p->terms[0].factors.size() != 1) return std::nullopt;
  const Term& first = p->terms[0];
  if (first.coefficient != 1 || first.factors[0].power != 1) return std::nullopt;
  const Atom& atom = *first.factors[0].atom;
  if (atom.kind != Atom::Kind::kFloor) return std::nullopt;
  if (p->terms.size() == 2 && !p->terms[1].factors.empty()) return std::nullopt;
  return std::pair(&atom, p->terms.size() == 2 ? p->terms[1].coefficient : 0);
}

/// The part of a whose quotient by the number is a polynomial, divided, and the rest, whose number is in [0, number).
std::pair<Dim, Dim> split_by(const Dim& a, int64_t number) {
  Terms whole, rest;
  for (Term& term : Polynomial::of(a)) {
    const int64_t times = floor_of(term.coefficient, number);
    const int64_t left = term.coefficient - times * number;
    const bool taken = left == 0 || term.factors.empty();
    if (taken && times != 0) whole.push_back({times, term.factors});
    if (!taken || left != 0) rest.push_back({taken ? left : term.coefficient, std::move(term.factors)});
  }
  return {Polynomial::sum(std::move(whole)), Polynomial::sum(std::move(rest))};
}

Dim extreme(const Dim& a, const Dim& b, Atom::Kind kind) {
  if (!a.told() || !b.told()) return {};
  const bool largest = kind == Atom::Kind::kMax;
  if (certainly_at_least(a, b)) return largest ? a : b;
  if (certainly_at_least(b, a)) return largest ? b : a;
  std::string first = text_of(a), second = text_of(b);
  const bool swapped = b.known() ? false : a.known() || second < first;
  const Interval x = bounds_of(a), y = bounds_of(b);
  const Interval bounds = largest ? Interval{std::max(x.low, y.low), std::max(x.high, y.high)}
                                  : Interval{std::min(x.low, y.low), std::min(x.high, y.high)};
  if (swapped) std::swap(first, second);
  return atom(kind, (largest ? "max(" : "min(") + first + "," + second + ")", bounds, swapped ? b : a, swapped ? a : b);
}

void print(std::ostream& out, const Term& term, bool is_first) {
  const bool negative = term.coefficient < 0;
  if (negative) out << '-';
  if (!negative && !is_first) out << '+';
  const int64_t number = negative ? -term.coefficient : term.coefficient;
  const bool shows_number = number != 1 || term.factors.empty();
  if (shows_number) out << number;
  for (size_t i = 0; i < term.factors.size(); ++i) {
    if (shows_number || i > 0) out << '*';
    out << term.factors[i].atom->text;
    if (term.factors[i].power > 1) out << '^' << term.factors[i].power;
  }
}

}  // namespace

Dim::Dim(std::string symbol, int64_t least, int64_t most) {
  if (symbol.empty()) return;
  const auto counted = std::make_shared<CountedMemory>();
  counted->add(sizeof(Atom) + symbol.size());
  *this = Polynomial::of(std::make_shared<const Atom>(
      Atom{.text = std::move(symbol), .bounds = {least, most}, .counted = counted}));
}

const std::string& Dim::symbol() const {
  static const std::string none;
  if (!expression_ || expression_->terms.size() != 1) return none;
  const Term& term = expression_->terms[0];
  const bool is_symbol = term.coefficient == 1 && term.factors.size() == 1 && term.factors[0].power == 1 &&
                         term.factors[0].atom->kind == Atom::Kind::kSymbol;
  return is_symbol ? term.factors[0].atom->text : none;
}

bool Dim::same_expression(const Dim& a, const Dim& b) {
  if (a.expression_ == b.expression_) return a.expression_ != nullptr;
  return a.expression_ && b.expression_ && same_terms(a.expression_->terms, b.expression_->terms);
}

int64_t Dim::least() const { return known() ? value_ : expression_ ? expression_->bounds.low : INT64_MIN; }
int64_t Dim::most() const { return known() ? value_ : expression_ ? expression_->bounds.high : INT64_MAX; }

Dim operator+(const Dim& a, const Dim& b) {
  int64_t number = 0;
  if (a.known() && b.known()) return __builtin_add_overflow(a.value_, b.value_, &number) ? Dim() : Dim(number);
  if (!a.told() || !b.told()) return {};
  if (a == Dim(0)) return b;
  if (b == Dim(0)) return a;
  Terms terms = Polynomial::of(a);
  std::ranges::copy(Polynomial::of(b), std::back_inserter(terms));
  return Polynomial::sum(std::move(terms));
}

Dim operator*(const Dim& a, const Dim& b) {
  int64_t number = 0;
  if (a.known() && b.known()) return __builtin_mul_overflow(a.value_, b.value_, &number) ? Dim() : Dim(number);
  if (a == Dim(0) || b == Dim(0)) return 0;
  if (!a.told() || !b.told()) return {};
  if (a == Dim(1)) return b;
  if (b == Dim(1)) return a;
  auto terms = product(Polynomial::of(a), Polynomial::of(b));
  return terms ? Polynomial::sum(std::move(*terms)) : Dim();
}

Dim operator-(const Dim& a, const Dim& b) { return a + b * Dim(-1); }

Dim floor_div(const Dim& a, const Dim& b) {
  if (!a.told() || !b.told() || b.least() < 1) return {};
  if (a.known() && b.known()) return floor_of(a.value(), b.value());
  const auto [quotient, rest] = divide(a, b);
  if (rest.told() && rest.least() >= 0 && certainly_at_least(b - 1, rest)) return quotient;
  const auto [x, y] = reduced(a, b);
  if (!x.told() || !y.told()) return {};
  if (y.known()) {
    const auto [whole, left] = split_by(x, y.value());
    if (!whole.told() || !left.told()) return {};
    if (!(whole == Dim(0))) return whole + floor_div(left, y);
    if (left.least() >= 0 && left.most() < y.value()) return 0;
  }
  if (const auto inner = floor_and_number(x)) {
    return floor_div(inner->first->a + inner->first->b * Dim(inner->second), inner->first->b * y);
  }
  return atom(Atom::Kind::kFloor, "floor(" + operand_text(x) + "/" + operand_text(y) + ")",
              quotient_bounds(bounds_of(x), bounds_of(y)), x, y);
}

Dim exact_quotient(const Dim& a, const Dim& b) {
  if (!a.told() || !b.told() || b == Dim(0)) return {};
  const auto [quotient, rest] = divide(a, b);
  return rest == Dim(0) ? quotient : Dim();
}

Dim remainder(const Dim& a, const Dim& b) { return a - b * floor_div(a, b); }
Dim ceil_div(const Dim& a, const Dim& b) { return floor_div(a + b - 1, b); }
Dim min(const Dim& a, const Dim& b) { return extreme(a, b, Atom::Kind::kMin); }
Dim max(const Dim& a, const Dim& b) { return extreme(a, b, Atom::Kind::kMax); }

bool certainly_different(const Dim& a, const Dim& b) {
  const Dim difference = a - b;
  if (!difference.told()) return false;
  if (difference.known()) return difference.value() != 0;
  if (difference.least() > 0 || difference.most() < 0) return true;
  // A number that is no multiple of what divides all other terms.
  int64_t divisor = 0, number = 0;
  for (const Term& term : Polynomial::of(difference)) {
    (term.factors.empty() ? number : divisor) = std::gcd(term.factors.empty() ? 0 : divisor, term.coefficient);
  }
  return number % divisor != 0;
}

bool certainly_at_least(const Dim& a, const Dim& b) { return (a - b).least() >= 0; }

Dim substitute(const Dim& dim, const std::function<Dim(const std::string& symbol)>& of) {
  if (dim.known() || !dim.told()) return dim;
  const auto new_atom = [&](const Atom& atom) -> Dim {
    if (atom.kind == Atom::Kind::kSymbol) return of(atom.text);
    const Dim a = substitute(atom.a, of), b = substitute(atom.b, of);
    if (atom.kind == Atom::Kind::kFloor) return floor_div(a, b);
    return atom.kind == Atom::Kind::kMin ? min(a, b) : max(a, b);
  };
  Dim result = 0;
  for (const Term& term : Polynomial::of(dim)) {
    Dim product = term.coefficient;
    for (const Factor& factor : term.factors) {
      const Dim replaced = new_atom(*factor.atom);
      const Dim base = replaced.told() ? replaced
                       : factor.atom->kind == Atom::Kind::kSymbol ? Polynomial::of(factor.atom) : Dim();
      for (int i = 0; i < factor.power; ++i) product *= base;
    }
    result += product;
  }
  return result;
}

std::ostream& operator<<(std::ostream& out, const Dim& dim) {
  if (dim.known()) return out << dim.value();
  const Polynomial* const p = Polynomial::expression(dim);
  if (!p) return out << '?';
  for (size_t i = 0; i < p->terms.size(); ++i) print(out, p->terms[i], i == 0);
  return out;
}

}  // namespace linnet
