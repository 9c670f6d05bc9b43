#include "tensor/polynomial.h"

#include <algorithm>
#include <numeric>

#include "linnet/shape.h"
#include "tensor/dim_scope.h"
#include "tensor/interval.h"

namespace linnet {
namespace {

constexpr size_t kMostTerms = 32, kMostProducts = 128;
constexpr int kMostDegree = 8, kMostSize = 64;

template <class T>
int sign(T a, T b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

int degree(const Term& term) {
  return std::accumulate(term.factors.begin(), term.factors.end(), 0,
                         [](int sum, const Factor& f) { return sum + f.power; });
}

/// Positive if the factors of a come first.
int compare_factors(const Term& a, const Term& b) {
  for (size_t i = 0; i < a.factors.size() && i < b.factors.size(); ++i) {
    const int atoms = compare(*a.factors[i].atom, *b.factors[i].atom);
    if (atoms != 0) return -atoms;
    if (a.factors[i].power != b.factors[i].power) return a.factors[i].power - b.factors[i].power;
  }
  return int(a.factors.size()) - int(b.factors.size());
}

/// Whether a comes before b in a graded lexicographic order, which multiplication preserves.
bool is_larger(const Term& a, const Term& b) {
  const int degrees = degree(a) - degree(b);
  return degrees != 0 ? degrees > 0 : compare_factors(a, b) > 0;
}

Interval interval_of(const Terms& terms, Interval Bounds::*which) {
  Interval sum{0, 0};
  for (const Term& term : terms) {
    Interval product{term.coefficient, term.coefficient};
    for (const Factor& factor : term.factors) product = product * power(factor.atom->bounds.*which, factor.power);
    sum = sum + product;
  }
  return sum;
}

/// Sorts the terms and adds those with equal factors. False if a number overflows.
bool normalize(Terms& terms) {
  std::sort(terms.begin(), terms.end(), is_larger);
  size_t kept = 0;
  for (size_t i = 0; i < terms.size(); ++i) {
    if (kept > 0 && compare_factors(terms[kept - 1], terms[i]) == 0) {
      int64_t& sum = terms[kept - 1].coefficient;
      if (__builtin_add_overflow(sum, terms[i].coefficient, &sum)) return false;
      if (sum == 0) --kept;
    } else if (terms[i].coefficient != 0) {
      if (kept != i) terms[kept] = std::move(terms[i]);
      ++kept;
    }
  }
  terms.resize(kept);
  return true;
}

bool within_limits(const Polynomial& p) {
  return p.size <= kMostSize && std::ranges::all_of(p.terms, [](const Term& term) {
           return degree(term) <= kMostDegree && has_bound(term.coefficient);
         });
}

}  // namespace

int compare(const Atom& a, const Atom& b) {
  if (&a == &b) return 0;
  if (a.kind != b.kind) return sign(a.kind, b.kind);
  if (a.kind == Atom::Kind::kSymbol) return a.name.compare(b.name);
  if (a.kind == Atom::Kind::kFresh) return sign(a.number, b.number);
  const int first = compare(a.a, b.a);
  return first != 0 ? first : compare(a.b, b.b);
}

int compare(const Dim& a, const Dim& b) {
  const Polynomial *const x = Polynomial::of(a), *const y = Polynomial::of(b);
  if (x == y) return sign(a.value(), b.value());
  if (!x || !y) return x ? -1 : 1;
  for (size_t i = 0; i < x->terms.size() && i < y->terms.size(); ++i) {
    const Term &s = x->terms[i], &t = y->terms[i];
    const int factors = compare_factors(t, s);
    if (factors != 0) return factors;
    if (s.coefficient != t.coefficient) return sign(s.coefficient, t.coefficient);
  }
  return sign(x->terms.size(), y->terms.size());
}

std::optional<Term> quotient(const Term& a, const Term& b) {
  if (b.coefficient == 0 || a.coefficient % b.coefficient != 0) return std::nullopt;
  Term result{a.coefficient / b.coefficient};
  auto divisor = b.factors.begin();
  for (const Factor& factor : a.factors) {
    const bool divided = divisor != b.factors.end() && compare(*factor.atom, *divisor->atom) == 0;
    const int power = factor.power - (divided ? divisor->power : 0);
    if (power < 0) return std::nullopt;
    if (power > 0) result.factors.push_back({factor.atom, power});
    if (divided) ++divisor;
  }
  if (divisor != b.factors.end()) return std::nullopt;
  return result;
}

std::optional<Terms> product(const Terms& a, const Terms& b) {
  if (!b.empty() && a.size() > kMostProducts / b.size()) return std::nullopt;
  Terms result;
  for (const Term& x : a) {
    for (const Term& y : b) {
      Term& term = result.emplace_back();
      if (__builtin_mul_overflow(x.coefficient, y.coefficient, &term.coefficient)) return std::nullopt;
      auto i = x.factors.begin(), j = y.factors.begin();
      while (i != x.factors.end() || j != y.factors.end()) {
        const int order = i == x.factors.end() ? 1 : j == y.factors.end() ? -1 : compare(*i->atom, *j->atom);
        if (order < 0) {
          term.factors.push_back(*i++);
        } else if (order > 0) {
          term.factors.push_back(*j++);
        } else {
          term.factors.push_back({i->atom, (i++)->power + (j++)->power});
        }
      }
    }
  }
  return result;
}

Terms Polynomial::terms_of(const Dim& dim) {
  if (dim.expression_) return dim.expression_->terms;
  return dim.value_ == 0 ? Terms() : Terms{{dim.value_}};
}

Dim Polynomial::sum(Terms terms) {
  if (terms.size() > 1 && !DimScope::spend(terms.size())) return {};
  if (!normalize(terms) || terms.size() > kMostTerms) return {};
  if (terms.empty()) return 0;
  if (terms.size() == 1 && terms[0].factors.empty()) return terms[0].coefficient;
  const auto p = std::make_shared<Polynomial>();
  p->terms = std::move(terms);
  for (const Term& term : p->terms) {
    for (const Factor& factor : term.factors) {
      p->size += factor.power * factor.atom->size;
      p->nesting = std::max(p->nesting, factor.atom->nesting);
    }
  }
  if (!within_limits(*p)) return {};
  p->bounds = {interval_of(p->terms, &Bounds::certain), interval_of(p->terms, &Bounds::assumed)};
  if (p->bounds.certain.low == p->bounds.certain.high) return p->bounds.certain.low;
  p->counted.add(sizeof(Polynomial) + size_t(checked_mul(std::ssize(p->terms), sizeof(Term) + sizeof(Factor))));
  Dim dim;
  dim.expression_ = p;
  return dim;
}

Dim Polynomial::atom(AtomPtr atom) { return sum({{1, {{std::move(atom), 1}}}}); }

const AtomPtr* Polynomial::atom_of(const Dim& dim) {
  const Polynomial* const p = of(dim);
  if (!p || p->terms.size() != 1 || p->terms[0].coefficient != 1) return nullptr;
  const std::vector<Factor>& factors = p->terms[0].factors;
  return factors.size() == 1 && factors[0].power == 1 ? &factors[0].atom : nullptr;
}

bool is_symbol(const Dim& dim) {
  const AtomPtr* const atom = Polynomial::atom_of(dim);
  return atom && (*atom)->is_symbol();
}

bool has_fresh(const Dim& dim) {
  const Polynomial* const p = Polynomial::of(dim);
  return p && std::ranges::any_of(p->terms, [](const Term& term) {
           return std::ranges::any_of(term.factors, [](const Factor& factor) {
             const Atom& atom = *factor.atom;
             return atom.kind == Atom::Kind::kFresh || has_fresh(atom.a) || has_fresh(atom.b);
           });
         });
}

Bounds bounds_of(const Dim& dim) {
  if (const Polynomial* const p = Polynomial::of(dim)) return p->bounds;
  if (!dim.known()) return {};
  const Interval number{dim.value(), dim.value()};
  return {number, number};
}

Dim bounded_symbol(const Atom& symbol, const Bounds& bounds) {
  const auto atom = std::make_shared<Atom>();
  atom->kind = symbol.kind;
  atom->name = symbol.name;
  atom->number = symbol.number;
  atom->bounds = bounds;
  atom->counted.add(sizeof(Atom) + atom->name.size());
  return Polynomial::atom(atom);
}

}  // namespace linnet
