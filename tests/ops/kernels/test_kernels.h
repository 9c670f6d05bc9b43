#pragma once

#include <type_traits>

#include "kernels/implementation.h"
#include "ops/kernels/byte_dot.h"
#include "ops/kernels/emulated_amx.h"

namespace linnet {

/// The families that exist for tests only, each named as its unit.
namespace test_families {
using byte_dot = ByteDotKernels;
using emulated_amx = EmulatedAmxKernels;
}  // namespace test_families

#define LINNET_SIMD_UNIT(unit, ns, isa)    \
  namespace ns {                           \
  void fill(test_families::unit& kernels); \
  }
#include "simd_units.inc"
#undef LINNET_SIMD_UNIT

template <class Family>
std::vector<Implementation<Family>> test_implementations() {
  std::vector<Implementation<Family>> all;
#define LINNET_SIMD_UNIT(unit, ns, isa) \
  if constexpr (std::is_same_v<Family, test_families::unit>) all.push_back({isa, ns::fill});
#include "simd_units.inc"
#undef LINNET_SIMD_UNIT
  return all;
}

template <class Family>
Family test_kernels(Isa isa) {
  Family kernels{};
  choose(test_implementations<Family>(), isa).fill(kernels);
  return kernels;
}

}  // namespace linnet
