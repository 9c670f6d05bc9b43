#pragma once

#include <map>

#include "tensor/atom_set.h"

namespace linnet {

/// A substitution of symbols, or of other atoms, by dims.
class DimSubstitution {
 public:
  /// Adds a substitution, and applies it to the dims that were added before. `dim` must not contain the atom, unless it
  /// is the symbol itself with other bounds.
  void add(AtomPtr atom, const Dim& dim);
  /// Adds a substitution for a dim that is a single atom.
  void add(const Dim& atom, const Dim& dim) { add(*Polynomial::atom_of(atom), dim); }
  bool empty() const { return dims_.empty(); }
  size_t size() const { return dims_.size(); }

  /// Applies the substitutions to a dim.
  Dim operator()(const Dim& dim) const;

 private:
  bool changes(const Dim& dim) const;
  Dim replaced(const AtomPtr& atom) const;

  std::map<AtomPtr, Dim, AtomLess> dims_;
  AtomSet held_;  // symbols in those dims
};

}  // namespace linnet
