#include "tensor/dim_scope.h"

#include "tensor/polynomial.h"

namespace linnet {
namespace {

constexpr size_t kMostSpent = 4'000'000;  // terms, which take about half a second

thread_local DimScope* current_scope = nullptr;

}  // namespace

DimScope::DimScope() : outer_(std::exchange(current_scope, this)) {}
DimScope::~DimScope() { current_scope = outer_; }
DimScope* DimScope::current() { return current_scope; }

bool DimScope::Order::operator()(const Dim& a, const Dim& b) const { return compare(a, b) < 0; }

void DimScope::assume(const Dim& dim) {
  const Polynomial* const p = Polynomial::of(dim);
  if (!p) return;
  for (const Term& term : p->terms) {
    for (const Factor& factor : term.factors) {
      const Atom& atom = *factor.atom;
      if (atom.is_symbol()) {
        if (atom.bounds.assumed != atom.bounds.certain) assumed_.insert(Polynomial::atom(factor.atom));
      } else {
        assume(atom.a);
        assume(atom.b);
      }
    }
  }
}

bool DimScope::spend(size_t terms) {
  DimScope* const scope = current();
  if (!scope) return true;
  if (scope->spent_ <= kMostSpent) scope->spent_ += terms;
  return scope->spent_ <= kMostSpent;
}

void learn_equal(const Dim& a, const Dim& b) {
  if (DimScope* const scope = DimScope::current()) scope->learn(a, b, true);
}

void learn_at_least(const Dim& a, const Dim& b) {
  if (DimScope* const scope = DimScope::current()) scope->learn(a, b, false);
}

}  // namespace linnet
