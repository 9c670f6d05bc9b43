#pragma once

#include <map>

#include "tensor/atom_set.h"

namespace linnet {

/// Dims that take the place of symbols, or of other atoms.
class DimSubstitution {
 public:
  /// Adds one, and changes by it the dims that were added before. `dim` does not hold the atom, unless it is the symbol
  /// itself with other bounds.
  void add(AtomPtr atom, const Dim& dim);
  /// Adds one for a dim that is one atom.
  void add(const Dim& atom, const Dim& dim) { add(*Polynomial::atom_of(atom), dim); }
  bool empty() const { return dims_.empty(); }
  size_t size() const { return dims_.size(); }

  /// The dim with all of them replaced.
  Dim operator()(const Dim& dim) const;

 private:
  bool changes(const Dim& dim) const;
  Dim replaced(const AtomPtr& atom) const;

  std::map<AtomPtr, Dim, AtomLess> dims_;
  AtomSet held_;  // symbols in those dims
};

}  // namespace linnet
