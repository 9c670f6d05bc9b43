#include <algorithm>
#include <numeric>
#include <ostream>
#include <sstream>
#include <utility>

#include "linnet/dim.h"
#include "tensor/polynomial.h"

// Quotients, minima and maxima of dims.
namespace linnet {
namespace {

constexpr int kMostNesting = 4;
constexpr int kMostSteps = 64;  // of a division

std::string text_of(const Dim& dim) {
  std::ostringstream out;
  out << dim;
  return std::move(out).str();
}

/// The only factor of a dim that is nothing else; nullptr where there is more.
const Atom* only_atom(const Dim& dim) {
  const Polynomial* const p = Polynomial::of(dim);
  if (!p || p->terms.size() != 1) return nullptr;
  const Term& term = p->terms[0];
  const bool is_only = term.coefficient == 1 && term.factors.size() == 1 && term.factors[0].power == 1;
  return is_only ? term.factors[0].atom.get() : nullptr;
}

/// In parentheses unless it is a number or one atom.
std::string operand_text(const Dim& dim) {
  return dim.known() || only_atom(dim) ? text_of(dim) : "(" + text_of(dim) + ")";
}

int nesting(const Dim& dim) { return Polynomial::of(dim) ? Polynomial::of(dim)->nesting : 0; }
int size(const Dim& dim) { return Polynomial::of(dim) ? Polynomial::of(dim)->size : 0; }

/// An atom of two operands; unknown beyond the limits.
Dim make_atom(Atom::Kind kind, std::string text, const Bounds& bounds, const Dim& a, const Dim& b) {
  const auto atom = std::make_shared<Atom>();
  atom->nesting = std::max(nesting(a), nesting(b)) + 1;
  if (atom->nesting > kMostNesting) return {};
  atom->kind = kind;
  atom->text = std::move(text);
  atom->bounds = bounds;
  atom->a = a;
  atom->b = b;
  atom->size = std::max(size(a) + size(b), 1);
  atom->counted.add(sizeof(Atom) + atom->text.size());
  return Polynomial::atom(atom);
}

template <class F>
Bounds combined(const Dim& a, const Dim& b, const F& combine) {
  const Bounds x = bounds_of(a), y = bounds_of(b);
  return {combine(x.certain, y.certain), combine(x.assumed, y.assumed)};
}

/// Long division by the leading term of b, which is not 0: quotient and remainder, both unknown beyond the limits.
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

/// What divides all terms of both: a number, and factors that are certainly 1 or more.
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

/// Both without what divides all of their terms.
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

/// The terms that the number divides, divided, and the rest, whose own number is in [0, divisor).
std::pair<Dim, Dim> split_by(const Dim& a, int64_t divisor) {
  Terms whole, rest;
  for (Term& term : Polynomial::terms_of(a)) {
    const int64_t times = floor_quotient(term.coefficient, divisor);
    const int64_t left = term.coefficient - times * divisor;
    if (!term.factors.empty() && left != 0) {
      rest.push_back(std::move(term));
      continue;
    }
    if (left != 0) rest.push_back({left});
    if (times != 0) whole.push_back({times, std::move(term.factors)});
  }
  return {Polynomial::sum(std::move(whole)), Polynomial::sum(std::move(rest))};
}

/// The sum of an atom, which is nothing else, and a number.
struct ShiftedAtom {
  const Atom* atom;  ///< nullptr: the dim is another
  Dim number;
};

ShiftedAtom shifted_atom(const Dim& dim) {
  const Polynomial* const p = Polynomial::of(dim);
  if (!p || p->terms.size() > 2) return {nullptr, 0};
  const Dim number = p->terms.size() == 2 && p->terms[1].factors.empty() ? Dim(p->terms[1].coefficient) : Dim(0);
  return {only_atom(dim - number), number};
}

bool is_extreme(const Atom& atom) { return atom.kind == Atom::Kind::kMin || atom.kind == Atom::Kind::kMax; }

/// The dividend of the quotient that a dim is, as floor(floor(x / y) + n) = floor((x + n * y) / y); nullopt for others.
std::optional<std::pair<Dim, Dim>> inner_quotient(const Dim& dim) {
  const auto [atom, number] = shifted_atom(dim);
  if (!atom || atom->kind != Atom::Kind::kFloor) return std::nullopt;
  return std::pair(atom->a + number * atom->b, atom->b);
}

Dim extreme(const Dim& a, const Dim& b, Atom::Kind kind) {
  if (!a.determined() || !b.determined()) return {};
  const bool largest = kind == Atom::Kind::kMax;
  if (certainly_at_least(a, b)) return largest ? a : b;
  if (certainly_at_least(b, a)) return largest ? b : a;
  if (a.known()) return extreme(b, a, kind);
  if (const auto [atom, number] = shifted_atom(a); b.known() && atom && atom->kind == kind && atom->b.known()) {
    return extreme(atom->a + number, extreme(atom->b + number, b, kind), kind);
  }
  std::string first = text_of(a), second = text_of(b);
  const bool swapped = !b.known() && second < first;
  if (swapped) std::swap(first, second);
  const Bounds bounds = combined(a, b, largest ? larger : smaller);
  return make_atom(kind, (largest ? "max(" : "min(") + first + "," + second + ")", bounds, swapped ? b : a,
                   swapped ? a : b);
}

}  // namespace

Dim floor_div(const Dim& a, const Dim& b) {
  if (!a.determined() || !certainly_at_least(b, 1)) return {};
  if (a.known() && b.known()) return floor_quotient(a.value(), b.value());
  const auto [whole, rest] = divide(a, b);
  if (rest.determined() && certainly_at_least(rest, 0) && certainly_at_least(b - 1, rest)) return whole;
  const auto [x, y] = reduced(a, b);
  if (!x.determined() || !y.determined()) return {};
  if (y.known()) {
    const auto [multiple, left] = split_by(x, y.value());
    if (!multiple.determined() || !left.determined()) return {};
    if (!certainly_equal(multiple, 0)) return multiple + floor_div(left, y);
  }
  if (const auto inner = inner_quotient(x)) return floor_div(inner->first, inner->second * y);
  if (const auto [atom, number] = shifted_atom(x); atom && is_extreme(*atom)) {
    return extreme(floor_div(atom->a + number, y), floor_div(atom->b + number, y), atom->kind);
  }
  return make_atom(Atom::Kind::kFloor, "floor(" + operand_text(x) + "/" + operand_text(y) + ")",
                   combined(x, y, [](Interval p, Interval q) { return floor_quotient(p, q); }), x, y);
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
