#pragma once

#include <set>

#include "tensor/polynomial.h"

namespace linnet {

struct AtomLess {
  bool operator()(const AtomPtr& a, const AtomPtr& b) const { return compare(*a, *b) < 0; }
};
using AtomSet = std::set<AtomPtr, AtomLess>;

/// Calls f(atom) for all symbols in the dim.
template <class F>
void for_symbols(const Dim& dim, const F& f) {
  const Polynomial* const p = Polynomial::of(dim);
  if (!p) return;
  for (const Term& term : p->terms) {
    for (const Factor& factor : term.factors) {
      if (factor.atom->is_symbol()) {
        f(factor.atom);
      } else {
        for_symbols(factor.atom->a, f);
        for_symbols(factor.atom->b, f);
      }
    }
  }
}

}  // namespace linnet
