#pragma once

#include "simd_units.h"

namespace linnet {

/// Returns the kernels of a family that exists only for tests.
template <class Family>
Family test_kernels(Isa isa) {
  Family kernels{};
  SimdUnits<Family>::kFills.at(choose_unit(SimdUnits<Family>::kIsas, isa).value())(&kernels);
  return kernels;
}

}  // namespace linnet
