#pragma once

#include "simd_units.h"

namespace linnet {

/// The kernels of a family that exists for tests only.
template <class Family>
Family test_kernels(Isa isa) {
  Family kernels{};
  choose_unit(kSimdUnits, kUnitOf<Family>, isa)->fill(&kernels);
  return kernels;
}

}  // namespace linnet
