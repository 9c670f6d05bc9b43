#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "kernels/isa.h"

namespace linnet {

/// A SIMD unit compiled for one instruction set: an implementation of one family of kernels. Table has a member for
/// each family. The build lists all units of a target in simd_units.inc, the best of each family first.
template <class Table>
struct Implementation {
  std::string_view family;
  std::string_view isa;  ///< what it needs, as isa_name() writes it
  void (*fill)(Table& table);

  bool fits(Isa resolved) const { return features_of(resolved).contains(features_of(isa_from_name(isa))); }
};

/// Of each family the first implementation that fits a resolved instruction set.
template <class Table, size_t kCount>
std::vector<Implementation<Table>> choose(const Implementation<Table> (&all)[kCount], Isa isa) {
  std::vector<Implementation<Table>> chosen;
  for (const Implementation<Table>& candidate : all) {
    const bool has_better = std::ranges::count(chosen, candidate.family, &Implementation<Table>::family) > 0;
    if (!has_better && candidate.fits(isa)) chosen.push_back(candidate);
  }
  return chosen;
}

}  // namespace linnet
