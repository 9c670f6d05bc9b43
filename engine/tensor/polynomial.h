#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "linnet/dim.h"
#include "tensor/counted_memory.h"

namespace linnet {

/// The numbers from low to high; INT64_MIN and INT64_MAX stand for no bound.
struct Interval {
  int64_t low = INT64_MIN, high = INT64_MAX;
};

/// What a polynomial is made of besides numbers: a symbol, floor(a / b), min(a, b) or max(a, b).
struct Atom {
  enum class Kind { kSymbol, kFloor, kMin, kMax };

  Kind kind = Kind::kSymbol;
  std::string text;  ///< how it prints; atoms of one kind and text are equal
  Interval bounds{};
  Dim a{}, b{};      ///< operands, of all but symbols
  int nesting = 0;   ///< atoms inside atoms
  int size = 1;      ///< symbols, counted as often as they occur
  std::shared_ptr<const CountedMemory> counted{};
};
using AtomPtr = std::shared_ptr<const Atom>;

struct Factor {
  AtomPtr atom;
  int power = 1;
};

struct Term {
  int64_t coefficient = 0;
  std::vector<Factor> factors{};  ///< by kind and text of the atom
};

using Terms = std::vector<Term>;

/// A sum of products, the normal form of Dim: terms by degree and then by their factors, the largest first, each
/// product once. Two are equal exactly where their terms are.
struct Polynomial {
  Terms terms;
  Interval bounds{};
  std::shared_ptr<const CountedMemory> counted{};

  /// The terms of a dim that is told.
  static Terms of(const Dim& dim);
  static const Polynomial* expression(const Dim& dim) { return dim.expression_.get(); }
  /// The sum of terms in any order; unknown beyond the limits.
  static Dim sum(Terms terms);
  static Dim of(AtomPtr atom);
};

/// Whether a stands in front of b in a polynomial: a graded lexicographic order, which products keep.
bool is_larger(const Term& a, const Term& b);
/// a / b where b divides it.
std::optional<Term> quotient(const Term& a, const Term& b);
/// nullopt where a number overflows.
std::optional<Terms> product(const Terms& a, const Terms& b);
bool same_terms(const Terms& a, const Terms& b);

Interval operator+(Interval a, Interval b);
Interval operator*(Interval a, Interval b);

}  // namespace linnet
