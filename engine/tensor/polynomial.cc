#include "tensor/polynomial.h"

#include <algorithm>
#include <numeric>

namespace linnet {
namespace {

constexpr size_t kMostTerms = 32;
constexpr int kMostDegree = 8, kMostSize = 64;

bool is_bound(int64_t value) { return value != INT64_MIN && value != INT64_MAX; }

/// a + b, where a bound that is not there stays away.
int64_t sum_of_bounds(int64_t a, int64_t b, int64_t none) {
  int64_t result = 0;
  if (!is_bound(a) || !is_bound(b) || __builtin_add_overflow(a, b, &result)) return none;
  return result;
}

/// a * b with signs, INT64_MIN and INT64_MAX as infinities.
int64_t product_of_bounds(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  const bool negative = (a < 0) != (b < 0);
  int64_t result = 0;
  if (is_bound(a) && is_bound(b) && !__builtin_mul_overflow(a, b, &result)) return result;
  return negative ? INT64_MIN : INT64_MAX;
}

int degree(const Term& term) {
  return std::accumulate(term.factors.begin(), term.factors.end(), 0,
                         [](int sum, const Factor& f) { return sum + f.power; });
}

int compare(const Atom& a, const Atom& b) {
  if (&a == &b) return 0;
  if (a.kind != b.kind) return a.kind < b.kind ? -1 : 1;
  return a.text.compare(b.text);
}

/// Above 0 where the factors of a come first.
int compare_factors(const Term& a, const Term& b) {
  for (size_t i = 0; i < a.factors.size() && i < b.factors.size(); ++i) {
    const int atoms = compare(*a.factors[i].atom, *b.factors[i].atom);
    if (atoms != 0) return -atoms;
    if (a.factors[i].power != b.factors[i].power) return a.factors[i].power - b.factors[i].power;
  }
  return int(a.factors.size()) - int(b.factors.size());
}

Interval power(Interval base, int exponent) {
  Interval result = base;
  for (int i = 1; i < exponent; ++i) result = result * base;
  if (exponent % 2 == 0) result.low = std::max<int64_t>(result.low, 0);
  return result;
}

Interval bounds_of(const Term& term) {
  Interval result{term.coefficient, term.coefficient};
  for (const Factor& factor : term.factors) result = result * power(factor.atom->bounds, factor.power);
  return result;
}

Interval bounds_of(const Terms& terms) {
  Interval result{0, 0};
  for (const Term& term : terms) result = result + bounds_of(term);
  return result;
}

/// Sorts the terms and adds those of equal factors; false where a number overflows.
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

bool within_limits(const Terms& terms) {
  if (terms.size() > kMostTerms) return false;
  int size = 0;
  for (const Term& term : terms) {
    if (degree(term) > kMostDegree || !is_bound(term.coefficient)) return false;
    for (const Factor& factor : term.factors) size += factor.power * factor.atom->size;
  }
  return size <= kMostSize;
}

}  // namespace

Interval operator+(Interval a, Interval b) {
  return {sum_of_bounds(a.low, b.low, INT64_MIN), sum_of_bounds(a.high, b.high, INT64_MAX)};
}

Interval operator*(Interval a, Interval b) {
  const auto [low, high] = std::minmax({product_of_bounds(a.low, b.low), product_of_bounds(a.low, b.high),
                                        product_of_bounds(a.high, b.low), product_of_bounds(a.high, b.high)});
  return {low, high};
}

bool is_larger(const Term& a, const Term& b) {
  const int degrees = degree(a) - degree(b);
  return degrees != 0 ? degrees > 0 : compare_factors(a, b) > 0;
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

bool same_terms(const Terms& a, const Terms& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Term& x, const Term& y) {
    return x.coefficient == y.coefficient && compare_factors(x, y) == 0;
  });
}

Terms Polynomial::of(const Dim& dim) {
  if (dim.expression_) return dim.expression_->terms;
  return dim.value() == 0 ? Terms() : Terms{{dim.value_}};
}

Dim Polynomial::sum(Terms terms) {
  if (!normalize(terms) || !within_limits(terms)) return {};
  if (terms.empty()) return 0;
  if (terms.size() == 1 && terms[0].factors.empty()) return terms[0].coefficient;
  const auto counted = std::make_shared<CountedMemory>();
  counted->add(sizeof(Polynomial) + terms.size() * (sizeof(Term) + sizeof(Factor)));
  const Interval bounds = bounds_of(terms);
  if (bounds.low == bounds.high) return bounds.low;
  Dim dim;
  dim.expression_ = std::make_shared<const Polynomial>(Polynomial{std::move(terms), bounds, counted});
  return dim;
}

Dim Polynomial::of(AtomPtr atom) { return sum({{1, {{std::move(atom), 1}}}}); }

}  // namespace linnet
