#pragma once

#include <span>
#include <string_view>

#include "linnet/isa.h"

namespace linnet {

/// A SIMD unit, compiled for an instruction set. The build lists the units of a target in simd_units.h, those of a
/// family one after the other, the best first.
struct SimdUnit {
  std::string_view name;        ///< of the unit: "gemm_f32"
  std::string_view isa;         ///< what it needs, as isa_name() writes it
  void (*fill)(void* kernels);  ///< writes the functions into a struct of the family
};

/// The first unit of that name which a resolved instruction set can run; nullptr: this build has none.
const SimdUnit* choose_unit(std::span<const SimdUnit> units, std::string_view name, Isa resolved);

template <class Family, void (*fill)(Family& kernels)>
void fill_kernels(void* kernels) {
  fill(*static_cast<Family*>(kernels));
}

}  // namespace linnet
