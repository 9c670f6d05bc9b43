#include "tensor/dim_equations.h"

#include <algorithm>

namespace linnet {
namespace {

/// Whether a symbol, or another atom, is anywhere in the dim.
bool holds(const Dim& dim, const Atom& wanted) {
  const Polynomial* const p = Polynomial::of(dim);
  return p && std::ranges::any_of(p->terms, [&](const Term& term) {
           return std::ranges::any_of(term.factors, [&](const Factor& factor) {
             const Atom& atom = *factor.atom;
             return compare(atom, wanted) == 0 || holds(atom.a, wanted) || holds(atom.b, wanted);
           });
         });
}

/// Which atoms take a value first: those that nobody named, what is computed of them, what the model's author named.
int rank_of(const Atom& atom) { return atom.kind == Atom::Kind::kFresh ? 0 : atom.kind == Atom::Kind::kSymbol ? 2 : 1; }

/// The atom of a term that is nothing else but a number times it.
const AtomPtr* atom_of(const Term& term) {
  return term.factors.size() == 1 && term.factors[0].power == 1 ? &term.factors[0].atom : nullptr;
}

/// Bounds of the symbols of a sum that is 0 or more: one step of what is known as bounds propagation.
void solve_bounds(const Dim& positive, DimSubstitution& result) {
  const Polynomial* const p = Polynomial::of(positive);
  if (!p) return;
  for (const Term& term : p->terms) {
    const AtomPtr* const atom = atom_of(term);
    if (!atom || !(*atom)->is_symbol()) continue;
    // coefficient * symbol >= -rest
    const Interval rest = bounds_of(positive - Polynomial::sum({term})).certain;
    if (rest.high == INT64_MAX || rest.high == INT64_MIN) continue;
    Bounds bounds = (*atom)->bounds;
    for (Interval* each : {&bounds.certain, &bounds.assumed}) {
      if (term.coefficient > 0) {
        each->low = std::max(each->low, -floor_quotient(rest.high, term.coefficient));
      } else if (term.coefficient != INT64_MIN) {
        each->high = std::min(each->high, floor_quotient(rest.high, -term.coefficient));
      }
    }
    const bool same =
        bounds.certain.low == (*atom)->bounds.certain.low && bounds.certain.high == (*atom)->bounds.certain.high;
    if (!same && bounds.certain.low <= bounds.certain.high) {
      result.add(Polynomial::atom(*atom), bounded_symbol(**atom, bounds));
    }
  }
}

/// Adds the value of an atom for which `zero` is 0; false where there is none.
bool solve_for_atom(const Dim& zero, DimSubstitution& result) {
  const Terms& terms = Polynomial::of(zero)->terms;
  for (int rank = 0; rank <= 2; ++rank) {
    for (const Term& term : terms) {
      const AtomPtr* const atom = atom_of(term);
      if (!atom || rank_of(**atom) != rank) continue;
      const Dim rest = zero - Polynomial::sum({term});
      const Dim value = holds(rest, **atom) ? Dim() : exact_quotient(rest * Dim(-1), term.coefficient);
      if (!value.determined()) continue;
      const AtomPtr solved = *atom;  // adding changes what it is part of
      result.add(Polynomial::atom(solved), value);
      if (solved->kind == Atom::Kind::kMin) {
        for (const Dim* operand : {&solved->a, &solved->b}) solve_bounds(*operand - value, result);
      }
      return true;
    }
  }
  return false;
}

/// The dim, which is 0, without the factors that are not.
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
