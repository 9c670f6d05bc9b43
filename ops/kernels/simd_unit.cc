#include "kernels/simd_unit.h"

#include <algorithm>

#include "kernels/isa.h"

namespace linnet {

std::optional<size_t> choose_unit(std::span<const std::string_view> isas, Isa resolved) {
  const Features features = features_of(resolved);
  const auto found = std::ranges::find_if(
      isas, [&](std::string_view isa) { return features.contains(features_of(isa_from_name(isa))); });
  if (found == isas.end()) return std::nullopt;
  return size_t(found - isas.begin());
}

}  // namespace linnet
