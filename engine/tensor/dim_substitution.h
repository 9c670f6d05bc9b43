#pragma once

#include <map>
#include <memory>

#include "tensor/polynomial.h"

namespace linnet {

/// Dims that take the place of symbols, or of other atoms.
class DimSubstitution {
 public:
  /// Adds one; those that were added before are changed by it, too. `atom` is nothing else,
  /// and `dim` does not hold it.
  void add(const Dim& atom, const Dim& dim);
  bool empty() const { return dims_.empty(); }

  /// The dim with all of them replaced.
  Dim operator()(const Dim& dim) const;

 private:
  struct Less {
    bool operator()(const AtomPtr& a, const AtomPtr& b) const { return compare(*a, *b) < 0; }
  };

  Dim replaced(const AtomPtr& atom) const;

  std::map<AtomPtr, Dim, Less> dims_;
};

}  // namespace linnet
