#include "kernels/simd_unit.h"

#include <algorithm>

#include "kernels/isa.h"

namespace linnet {

const SimdUnit* choose_unit(std::span<const SimdUnit> units, std::string_view name, Isa resolved) {
  const Features features = features_of(resolved);
  const auto found = std::ranges::find_if(units, [&](const SimdUnit& unit) {
    return unit.name == name && features.contains(features_of(isa_from_name(unit.isa)));
  });
  return found == units.end() ? nullptr : &*found;
}

}  // namespace linnet
