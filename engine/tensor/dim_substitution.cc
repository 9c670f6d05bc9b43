#include "tensor/dim_substitution.h"

#include <algorithm>

namespace linnet {

void DimSubstitution::add(AtomPtr atom, const Dim& dim) {
  DimSubstitution added;
  added.dims_[atom] = dim;
  if (!atom->is_symbol() || held_.contains(atom)) {
    for (auto& [other, before] : dims_) before = added(before);
  }
  for_symbols(dim, [&](const AtomPtr& symbol) { held_.insert(symbol); });
  dims_[std::move(atom)] = dim;
}

bool DimSubstitution::changes(const Dim& dim) const {
  const Polynomial* const p = Polynomial::of(dim);
  return p && std::ranges::any_of(p->terms, [&](const Term& term) {
           return std::ranges::any_of(term.factors, [&](const Factor& factor) {
             const Atom& atom = *factor.atom;
             return dims_.contains(factor.atom) || (!atom.is_symbol() && (changes(atom.a) || changes(atom.b)));
           });
         });
}

Dim DimSubstitution::operator()(const Dim& dim) const {
  if (dims_.empty() || !changes(dim)) return dim;
  Dim sum = 0;
  for (const Term& term : Polynomial::of(dim)->terms) {
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
