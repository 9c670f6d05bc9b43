#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "linnet/dim.h"
#include "tensor/counted_memory.h"
#include "tensor/interval.h"

namespace linnet {

/// The bounds in every run, and those in the runs that a graph is made for (see DimScope).
struct Bounds {
  Interval certain{}, assumed{};
};

/// A part of a polynomial that is not a number: a symbol, floor(a / b), min(a, b) or max(a, b).
struct Atom {
  enum class Kind { kSymbol, kFresh, kFloor, kMin, kMax };

  Kind kind = Kind::kSymbol;
  std::string name{};  ///< the name of a symbol that has one
  int64_t number = 0;  ///< the number of a fresh symbol
  Bounds bounds{};     ///< ignored in comparisons: a symbol with other bounds is equal
  Dim a{}, b{};        ///< operands of all but symbols
  int nesting = 0;     ///< depth of atoms inside atoms
  int size = 1;        ///< number of symbols, with repetitions
  CountedMemory counted{};

  bool is_symbol() const { return kind == Kind::kSymbol || kind == Kind::kFresh; }
};
using AtomPtr = std::shared_ptr<const Atom>;

/// Total orders of atoms and of determined dims. The result is negative, 0 or positive.
int compare(const Atom& a, const Atom& b);
int compare(const Dim& a, const Dim& b);

struct Factor {
  AtomPtr atom;
  int power = 1;
};

struct Term {
  int64_t coefficient = 0;
  std::vector<Factor> factors{};  ///< in the order of their atoms
};

using Terms = std::vector<Term>;

/// A sum of products, the normal form of Dim. Terms are sorted by degree and then by their factors, largest first, and
/// each product occurs once. Two polynomials are equal exactly if their terms are.
struct Polynomial {
  Terms terms;
  Bounds bounds{};
  int size = 0, nesting = 0;  ///< as in Atom
  CountedMemory counted{};

  /// The expression of a dim; nullptr for a number and for an unknown dim.
  static const Polynomial* of(const Dim& dim) { return dim.expression_.get(); }
  /// The terms of a determined dim.
  static Terms terms_of(const Dim& dim);
  /// The sum of terms in any order; unknown if it exceeds the limits.
  static Dim sum(Terms terms);
  static Dim atom(AtomPtr atom);
  /// The atom, if the dim is a single atom; otherwise nullptr.
  static const AtomPtr* atom_of(const Dim& dim);
};

/// Whether the dim is a single symbol.
bool is_symbol(const Dim& dim);

/// Whether the dim contains a symbol without a name.
bool has_fresh(const Dim& dim);

/// The bounds of any dim, including numbers. An unknown dim is unbounded.
Bounds bounds_of(const Dim& dim);

/// The symbol with other bounds. It equals the original symbol.
Dim bounded_symbol(const Atom& symbol, const Bounds& bounds);

/// a / b; nullopt if b does not divide a.
std::optional<Term> quotient(const Term& a, const Term& b);
/// nullopt if a number overflows or the product exceeds the limits.
std::optional<Terms> product(const Terms& a, const Terms& b);

}  // namespace linnet
