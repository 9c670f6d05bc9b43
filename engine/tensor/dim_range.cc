#include "tensor/dim_range.h"

#include <algorithm>

namespace linnet {
namespace {

Interval range_of(const Atom& atom, const Interval& symbols) {
  const Interval bounds = atom.bounds.certain;
  if (atom.is_symbol()) return {std::max(bounds.low, symbols.low), std::min(bounds.high, symbols.high)};
  const Interval a = range_of(atom.a, symbols), b = range_of(atom.b, symbols);
  switch (atom.kind) {
    case Atom::Kind::kFloor:
      return floor_quotient(a, b);
    case Atom::Kind::kMin:
      return smaller(a, b);
    default:
      return larger(a, b);
  }
}

}  // namespace

Interval range_of(const Dim& dim, const Interval& symbols) {
  const Polynomial* const p = Polynomial::of(dim);
  if (!p) return bounds_of(dim).certain;
  Interval sum{0, 0};
  for (const Term& term : p->terms) {
    Interval product{term.coefficient, term.coefficient};
    for (const Factor& factor : term.factors) product = product * power(range_of(*factor.atom, symbols), factor.power);
    sum = sum + product;
  }
  return sum;
}

}  // namespace linnet
