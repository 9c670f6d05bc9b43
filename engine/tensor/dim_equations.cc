#include "tensor/dim_equations.h"

#include <algorithm>

namespace linnet {
namespace {

constexpr size_t kMostSolved = 500;

/// Whether the dim contains an atom for which is_wanted() is true.
template <class F>
bool holds(const Dim& dim, const F& is_wanted) {
  const Polynomial* const p = Polynomial::of(dim);
  return p && std::ranges::any_of(p->terms, [&](const Term& term) {
           return std::ranges::any_of(term.factors, [&](const Factor& factor) {
             const Atom& atom = *factor.atom;
             return is_wanted(atom) || holds(atom.a, is_wanted) || holds(atom.b, is_wanted);
           });
         });
}

bool is_fresh(const Atom& atom) { return atom.kind == Atom::Kind::kFresh; }

/// The order in which atoms are solved: symbols without a name, expressions, symbols that the model names.
int rank_of(const Atom& atom) { return is_fresh(atom) ? 0 : atom.kind == Atom::Kind::kSymbol ? 2 : 1; }

/// The atom of a term that is a number times an atom; nullptr for other terms.
const AtomPtr* atom_of(const Term& term) {
  return term.factors.size() == 1 && term.factors[0].power == 1 ? &term.factors[0].atom : nullptr;
}

bool overlap(Interval a, Interval b) { return a.low <= b.high && b.low <= a.high; }

/// The interval without the numbers for which coefficient * number + rest is negative for every rest.
Interval narrowed(Interval interval, int64_t coefficient, Interval rest) {
  if (coefficient > 0) {
    interval.low = std::max(interval.low, -floor_quotient(rest.high, coefficient));
  } else {
    interval.high = std::min(interval.high, floor_quotient(rest.high, -coefficient));
  }
  return interval;
}

/// Narrows the bounds of the symbols in a sum that is at least 0, by one step of bounds propagation.
void solve_bounds(const Dim& sum, DimSubstitution& result) {
  const Polynomial* const p = Polynomial::of(sum);
  if (!p) return;
  for (const Term& term : p->terms) {
    const AtomPtr* const atom = atom_of(term);
    if (!atom || !(*atom)->is_symbol()) continue;
    const Interval rest = bounds_of(sum - Polynomial::sum({term})).certain;
    if (!has_bound(rest.high)) continue;
    const Bounds before = (*atom)->bounds;
    Bounds bounds{narrowed(before.certain, term.coefficient, rest), narrowed(before.assumed, term.coefficient, rest)};
    if (bounds.certain == before.certain || !overlap(bounds.certain, bounds.certain)) continue;
    if (!overlap(bounds.assumed, bounds.assumed)) bounds.assumed = bounds.certain;
    result.add(*atom, bounded_symbol(**atom, bounds));
  }
}

/// Derives bounds of other symbols from the atom being equal to the value.
void solve_value(const Atom& atom, const Dim& value, DimSubstitution& result) {
  if (has_bound(atom.bounds.certain.low)) solve_bounds(value - atom.bounds.certain.low, result);
  if (has_bound(atom.bounds.certain.high)) solve_bounds(atom.bounds.certain.high - value, result);
  if (atom.kind != Atom::Kind::kMin && atom.kind != Atom::Kind::kMax) return;
  for (const Dim* operand : {&atom.a, &atom.b}) {
    solve_bounds(atom.kind == Atom::Kind::kMin ? *operand - value : value - *operand, result);
  }
}

/// The value of the atom for which coefficient * atom + rest is 0. Unknown if that is not an expression, or if a symbol
/// of the model would become an expression of symbols without names.
Dim value_of(const Atom& atom, const Dim& rest, int64_t coefficient) {
  if (holds(rest, [&](const Atom& other) { return compare(other, atom) == 0; })) return {};
  const Dim sign = coefficient < 0 ? -1 : 1, divisor = sign * Dim(coefficient), dividend = Dim(0) - sign * rest;
  if (is_fresh(atom)) return floor_div(dividend, divisor);  // every run that succeeds has no remainder
  return atom.is_symbol() && holds(rest, is_fresh) ? Dim() : exact_quotient(dividend, divisor);
}

/// Whether the atom may have the value, including, if assumptions may be used, in runs that meet them.
bool can_be(const Atom& atom, const Dim& value) {
  const Bounds bounds = bounds_of(value);
  const DimScope* const scope = DimScope::current();
  return overlap(bounds.certain, atom.bounds.certain) &&
         (!scope || !scope->assumes() || overlap(bounds.assumed, atom.bounds.assumed));
}

/// Adds a substitution that makes `zero` 0 by solving it for an atom of this rank; false if no atom can be solved for.
bool solve_for_atom(const Dim& zero, int rank, DimSubstitution& result) {
  for (const Term& term : Polynomial::of(zero)->terms) {
    const AtomPtr* const found = atom_of(term);
    if (!found || rank_of(**found) != rank) continue;
    const Dim value = value_of(**found, zero - Polynomial::sum({term}), term.coefficient);
    if (!value.determined() || !can_be(**found, value)) continue;
    result.add(*found, value);
    solve_value(**found, value, result);
    return true;
  }
  return false;
}

bool solve_for_atom(const Dim& zero, DimSubstitution& result) {
  return solve_for_atom(zero, 0, result) || solve_for_atom(zero, 1, result) || solve_for_atom(zero, 2, result);
}

/// The dim, which is 0, without factors that are certainly not 0.
Dim without_factors(Dim zero) {
  for (const Factor& factor : Polynomial::of(zero)->terms[0].factors) {
    const Dim atom = Polynomial::atom(factor.atom);
    const Dim divided = exact_quotient(zero, atom);
    if (divided.determined() && !divided.known() && certainly_at_least(atom, 1)) return without_factors(divided);
  }
  return zero;
}

void solve_equality(const Dim& a, const Dim& b, DimSubstitution& result) {
  const Dim zero = a - b;
  if (!Polynomial::of(zero) || solve_for_atom(zero, result)) return;
  const Dim divided = without_factors(zero);
  if (!certainly_equal(divided, zero)) solve_for_atom(divided, result);
}

}  // namespace

DimSubstitution solve(const std::vector<DimScope::Lesson>& lessons) {
  DimSubstitution result;
  for (const DimScope::Lesson& lesson : lessons) {
    if (result.size() >= kMostSolved) break;
    const Dim a = result(lesson.a), b = result(lesson.b);
    if (lesson.equal) {
      solve_equality(a, b, result);
    } else {
      solve_bounds(a - b, result);
    }
  }
  return result;
}

}  // namespace linnet
