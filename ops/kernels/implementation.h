#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "kernels/isa.h"

namespace linnet {

/// One implementation of a family of kernels: its SIMD unit compiled for an instruction set. The build lists the units
/// of a target in simd_units.inc, the best of each family first.
template <class Family>
struct Implementation {
  std::string_view isa;  ///< what it needs, as isa_name() writes it
  void (*fill)(Family& kernels);
};

/// The first implementation that a resolved instruction set can run. The last one needs no more than a base set.
template <class Family>
Implementation<Family> choose(const std::vector<Implementation<Family>>& all, Isa resolved) {
  return *std::ranges::find_if(all, [&](const Implementation<Family>& candidate) {
    return features_of(resolved).contains(features_of(isa_from_name(candidate.isa)));
  });
}

}  // namespace linnet
