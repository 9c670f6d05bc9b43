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

/// What holds in every run, and what holds in those that a graph is made for (see DimScope).
struct Bounds {
  Interval certain{}, assumed{};
};

/// What a polynomial consists of besides numbers: a symbol, floor(a / b), min(a, b) or max(a, b).
struct Atom {
  enum class Kind { kSymbol, kFresh, kFloor, kMin, kMax };

  Kind kind = Kind::kSymbol;
  std::string name{};  ///< of a symbol that has one
  int64_t number = 0;  ///< of a fresh symbol
  Bounds bounds{};     ///< no part of what it is: a symbol with other bounds equals it
  Dim a{}, b{};        ///< operands of all but symbols
  int nesting = 0;     ///< atoms inside atoms
  int size = 1;        ///< symbols, counted as often as they occur
  CountedMemory counted{};

  bool is_symbol() const { return kind == Kind::kSymbol || kind == Kind::kFresh; }
};
using AtomPtr = std::shared_ptr<const Atom>;

/// Total orders of atoms and of dims that are determined: below, equal to or above 0.
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

/// A sum of products, the normal form of Dim: the terms by degree and then by their factors, the largest first, each
/// product once. Two are equal exactly where their terms are.
struct Polynomial {
  Terms terms;
  Bounds bounds{};
  int size = 0, nesting = 0;  ///< as of an atom
  CountedMemory counted{};

  /// The expression of a dim; nullptr for a number, or an unknown dim.
  static const Polynomial* of(const Dim& dim) { return dim.expression_.get(); }
  /// The terms of a dim that is determined.
  static Terms terms_of(const Dim& dim);
  /// The sum of terms in any order; unknown beyond the limits.
  static Dim sum(Terms terms);
  static Dim atom(AtomPtr atom);
  /// The atom that a dim is; nullptr where it is anything else.
  static const AtomPtr* atom_of(const Dim& dim);
};

/// Whether it is one symbol and nothing else.
bool is_symbol(const Dim& dim);

/// Whether it holds a symbol without a name.
bool has_fresh(const Dim& dim);

/// Those of a number, too. Everything for an unknown dim.
Bounds bounds_of(const Dim& dim);

/// The symbol with other bounds: it equals the symbol without.
Dim bounded_symbol(const Atom& symbol, const Bounds& bounds);

/// a / b where b divides it.
std::optional<Term> quotient(const Term& a, const Term& b);
/// nullopt where a number overflows, and beyond the limits.
std::optional<Terms> product(const Terms& a, const Terms& b);

}  // namespace linnet
