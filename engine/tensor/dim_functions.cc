#include <algorithm>
#include <numeric>
#include <utility>

#include "linnet/dim.h"
#include "linnet/shape.h"
#include "tensor/polynomial.h"

// Quotients, minima and maxima of dims.
namespace linnet {
namespace {

constexpr int kMostNesting = 4;
constexpr int kMostSteps = 32;  // steps of a division

int nesting(const Dim& dim) { return Polynomial::of(dim) ? Polynomial::of(dim)->nesting : 0; }
int size(const Dim& dim) { return Polynomial::of(dim) ? Polynomial::of(dim)->size : 0; }

/// An atom of two operands; unknown if it exceeds the limits.
Dim make_atom(Atom::Kind kind, const Bounds& bounds, const Dim& a, const Dim& b) {
  const auto atom = std::make_shared<Atom>();
  atom->nesting = std::max(nesting(a), nesting(b)) + 1;
  if (atom->nesting > kMostNesting) return {};
  atom->kind = kind;
  atom->bounds = bounds;
  atom->a = a;
  atom->b = b;
  atom->size = std::max(size(a) + size(b), 1);
  atom->counted.add(sizeof(Atom));
  return Polynomial::atom(atom);
}

template <class F>
Bounds combined(const Dim& a, const Dim& b, const F& combine) {
  const Bounds x = bounds_of(a), y = bounds_of(b);
  return {combine(x.certain, y.certain), combine(x.assumed, y.assumed)};
}

/// Long division by the leading term of b, which must not be 0. Returns quotient and remainder, both unknown if they
/// exceed the limits.
std::pair<Dim, Dim> divide(const Dim& a, const Dim& b) {
  const Term leading = Polynomial::terms_of(b)[0];
  Dim result = 0, rest = a;
  for (int step = 0; step < kMostSteps && result.determined() && rest.determined(); ++step) {
    std::optional<Term> term;
    for (const Term& candidate : Polynomial::terms_of(rest)) {
      term = quotient(candidate, leading);
      if (term) break;
    }
    if (!term) return {result, rest};
    const Dim part = Polynomial::sum({*term});
    result += part;
    rest = rest - part * b;
  }
  return {};
}

/// The common factor of all terms: a number, and factors that are certainly at least 1.
Term common_factor(const Terms& a, const Terms& b) {
  Term common{0, b[0].factors};
  std::erase_if(common.factors, [](const Factor& factor) { return factor.atom->bounds.certain.low < 1; });
  for (const Terms* terms : {&a, &b}) {
    for (const Term& term : *terms) {
      common.coefficient = std::gcd(common.coefficient, term.coefficient);
      for (Factor& factor : common.factors) {
        const auto found = std::ranges::find_if(
            term.factors, [&](const Factor& other) { return compare(*other.atom, *factor.atom) == 0; });
        factor.power = found == term.factors.end() ? 0 : std::min(factor.power, found->power);
      }
    }
  }
  std::erase_if(common.factors, [](const Factor& factor) { return factor.power == 0; });
  return common;
}

/// Both dims without their common factor.
std::pair<Dim, Dim> reduced(const Dim& a, const Dim& b) {
  const Terms dividend = Polynomial::terms_of(a), divisor = Polynomial::terms_of(b);
  const Term common = common_factor(dividend, divisor);
  if (common.coefficient == 1 && common.factors.empty()) return {a, b};
  const auto cut = [&](const Terms& terms) {
    Terms result;
    for (const Term& term : terms) result.push_back(*quotient(term, common));
    return Polynomial::sum(std::move(result));
  };
  return {cut(dividend), cut(divisor)};
}

/// The terms that are divisible by the divisor, divided, and the rest, whose constant is in [0, divisor).
std::pair<Dim, Dim> split_by(const Dim& a, int64_t divisor) {
  Terms whole, rest;
  for (Term& term : Polynomial::terms_of(a)) {
    const int64_t times = floor_quotient(term.coefficient, divisor);
    const int64_t left = term.coefficient - checked_mul(times, divisor);
    if (!term.factors.empty() && left != 0) {
      rest.push_back(std::move(term));
      continue;
    }
    if (left != 0) rest.push_back({left});
    if (times != 0) whole.push_back({times, std::move(term.factors)});
  }
  return {Polynomial::sum(std::move(whole)), Polynomial::sum(std::move(rest))};
}

/// A dim that is the sum of an atom and a number. The atom is nullptr for other dims.
struct ShiftedAtom {
  AtomPtr atom;
  Dim number;
};

ShiftedAtom shifted_atom(const Dim& dim) {
  const Polynomial* const p = Polynomial::of(dim);
  if (!p || p->terms.size() > 2) return {};
  const Dim number = p->terms.size() == 2 && p->terms[1].factors.empty() ? Dim(p->terms[1].coefficient) : Dim(0);
  const Dim rest = dim - number;
  const AtomPtr* const atom = Polynomial::atom_of(rest);
  return atom ? ShiftedAtom{*atom, number} : ShiftedAtom{};
}

Dim extreme(const Dim& a, const Dim& b, Atom::Kind kind);

/// The quotient of a sum of a number and a quotient, minimum or maximum. floor((floor(p / q) + n) / y) is floor((p + n
/// * q) / (q * y)), and quotients by one divisor are in the order of their dividends. Unknown for other dividends.
Dim quotient_of_atom(const Dim& x, const Dim& y) {
  const auto [atom, number] = shifted_atom(x);
  if (!atom || atom->is_symbol()) return {};
  if (atom->kind == Atom::Kind::kFloor) return floor_div(atom->a + number * atom->b, atom->b * y);
  return extreme(floor_div(atom->a + number, y), floor_div(atom->b + number, y), atom->kind);
}

/// min(min(p, q) + n, b) = min(p + n, min(q + n, b)) for numbers q and b; the same for max. Unknown for others.
Dim extreme_of_atom(const Dim& a, const Dim& b, Atom::Kind kind) {
  const auto [atom, number] = shifted_atom(a);
  if (!atom || atom->kind != kind || !atom->b.known() || !b.known()) return {};
  return extreme(atom->a + number, extreme(atom->b + number, b, kind), kind);
}

Dim extreme(const Dim& a, const Dim& b, Atom::Kind kind) {
  if (!a.determined() || !b.determined()) return {};
  const bool largest = kind == Atom::Kind::kMax;
  if (certainly_at_least(a, b)) return largest ? a : b;
  if (certainly_at_least(b, a)) return largest ? b : a;
  if (a.known()) return extreme(b, a, kind);
  if (const Dim result = extreme_of_atom(a, b, kind); result.determined()) return result;
  const bool in_order = compare(a, b) < 0;
  return make_atom(kind, combined(a, b, largest ? larger : smaller), in_order ? a : b, in_order ? b : a);
}

}  // namespace

Dim floor_div(const Dim& a, const Dim& b) {
  if (!a.determined() || !certainly_at_least(b, 1)) return {};
  if (a.known() && b.known()) return floor_quotient(a.value(), b.value());
  const auto [whole, rest] = b.known() ? split_by(a, b.value()) : divide(a, b);
  if (rest.determined() && certainly_at_least(rest, 0) && certainly_at_least(b - 1, rest)) return whole;
  const auto [x, y] = reduced(a, b);
  if (!x.determined() || !y.determined()) return {};
  if (y.known()) {
    const auto [multiple, left] = split_by(x, y.value());
    if (!multiple.determined() || !left.determined()) return {};
    if (!certainly_equal(multiple, 0)) return multiple + floor_div(left, y);
  }
  if (const Dim result = quotient_of_atom(x, y); result.determined()) return result;
  return make_atom(Atom::Kind::kFloor, combined(x, y, [](Interval p, Interval q) { return floor_quotient(p, q); }), x,
                   y);
}

Dim ceil_div(const Dim& a, const Dim& b) { return floor_div(a + b - 1, b); }
Dim remainder(const Dim& a, const Dim& b) { return a - b * floor_div(a, b); }

Dim exact_quotient(const Dim& a, const Dim& b) {
  if (!a.determined() || !b.determined() || certainly_equal(b, 0)) return {};
  if (a.known() && b.known()) return a.value() % b.value() == 0 ? Dim(a.value() / b.value()) : Dim();
  const auto [whole, rest] = divide(a, b);
  return certainly_equal(rest, 0) ? whole : Dim();
}

Dim min(const Dim& a, const Dim& b) { return extreme(a, b, Atom::Kind::kMin); }
Dim max(const Dim& a, const Dim& b) { return extreme(a, b, Atom::Kind::kMax); }

}  // namespace linnet
