#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <string>

#include "linnet/dim.h"
#include "tensor/dim_substitution.h"
#include "tensor/interval.h"

namespace linnet::testing {

inline Dim symbol(const std::string& name, int64_t certain_low = 0, int64_t assumed_low = 0) {
  return bounded_symbol(**Polynomial::atom_of(Dim(name)),
                        {{certain_low, INT64_MAX}, {std::max(certain_low, assumed_low), INT64_MAX}});
}

/// The numbers of three symbols.
using Point = std::array<int64_t, 3>;

/// An expression as a Dim and as a function of the numbers of its symbols, built in the same steps.
struct DrawnDim {
  Dim dim;
  std::function<int64_t(const Point&)> number;
};

/// Random expressions over three symbols.
class DrawnDims {
 public:
  DrawnDims(unsigned seed, const std::array<Dim, 3>& symbols) : random_(seed), symbols_(symbols) {}

  int64_t number(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random_); }

  DrawnDim expression(int depth) {
    if (depth == 0 || number(0, 5) == 0) return leaf();
    const DrawnDim a = expression(depth - 1);
    const int64_t divisor = number(1, 6);
    switch (number(0, 6)) {
      case 0:
        return {floor_div(a.dim, divisor), [=](const Point& p) { return floor_quotient(a.number(p), divisor); }};
      case 1:
        return {ceil_div(a.dim, divisor), [=](const Point& p) { return -floor_quotient(-a.number(p), divisor); }};
      default:
        return of_two(a, expression(depth - 1));
    }
  }

  /// Returns a substitution of the symbols by numbers.
  DimSubstitution numbers(const Point& point) const {
    DimSubstitution result;
    for (size_t i = 0; i < point.size(); ++i) result.add(symbols_[i], point[i]);
    return result;
  }

 private:
  DrawnDim leaf() {
    if (number(0, 2) == 0) {
      const int64_t n = number(-2, 6);
      return {n, [n](const Point&) { return n; }};
    }
    const auto at = size_t(number(0, 2));
    return {symbols_[at], [at](const Point& p) { return p[at]; }};
  }

  DrawnDim of_two(const DrawnDim& a, const DrawnDim& b) {
    switch (number(0, 4)) {
      case 0:
        return {a.dim * b.dim, [=](const Point& p) { return a.number(p) * b.number(p); }};
      case 1:
        return {a.dim - b.dim, [=](const Point& p) { return a.number(p) - b.number(p); }};
      case 2:
        return {min(a.dim, b.dim), [=](const Point& p) { return std::min(a.number(p), b.number(p)); }};
      case 3:
        return {max(a.dim, b.dim), [=](const Point& p) { return std::max(a.number(p), b.number(p)); }};
      default:
        return {a.dim + b.dim, [=](const Point& p) { return a.number(p) + b.number(p); }};
    }
  }

  std::mt19937 random_;
  std::array<Dim, 3> symbols_;
};

}  // namespace linnet::testing
