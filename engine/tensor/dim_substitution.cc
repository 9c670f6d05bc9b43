#include "tensor/dim_substitution.h"

namespace linnet {

void DimSubstitution::add(const Dim& atom, const Dim& dim) {
  const AtomPtr& key = Polynomial::of(atom)->terms[0].factors[0].atom;
  DimSubstitution next;
  next.dims_[key] = dim;
  for (auto& [other, before] : dims_) before = next(before);
  dims_[key] = dim;
}

Dim DimSubstitution::operator()(const Dim& dim) const {
  const Polynomial* const p = Polynomial::of(dim);
  if (!p || dims_.empty()) return dim;
  Dim sum = 0;
  for (const Term& term : p->terms) {
    Dim product = term.coefficient;
    for (const Factor& factor : term.factors) {
      const Dim base = replaced(factor.atom);
      for (int i = 0; i < factor.power; ++i) product *= base;
    }
    sum += product;
  }
  return sum;
}

Dim DimSubstitution::replaced(const AtomPtr& atom) const {
  if (const auto found = dims_.find(atom); found != dims_.end()) return found->second;
  if (atom->is_symbol()) return Polynomial::atom(atom);
  const Dim a = (*this)(atom->a), b = (*this)(atom->b);
  switch (atom->kind) {
    case Atom::Kind::kFloor:
      return floor_div(a, b);
    case Atom::Kind::kMin:
      return min(a, b);
    default:
      return max(a, b);
  }
}

}  // namespace linnet
