#pragma once

#include "kernels/implementation.h"
#include "ops/kernels/byte_dot.h"
#include "ops/kernels/emulated_amx.h"

namespace linnet {

/// The families that exist for tests only; each member is named as its unit.
struct TestKernels {
  ByteDotKernels byte_dot;
  EmulatedAmxKernels emulated_amx;
};

#define LINNET_SIMD_UNIT(unit, ns, isa)            \
  namespace ns {                                   \
  void fill(decltype(TestKernels::unit)& kernels); \
  }
#include "simd_units.inc"
#undef LINNET_SIMD_UNIT

inline constexpr Implementation<TestKernels> kTestImplementations[]{
#define LINNET_SIMD_UNIT(unit, ns, isa) {#unit, isa, [](TestKernels& kernels) { ns::fill(kernels.unit); }},
#include "simd_units.inc"
#undef LINNET_SIMD_UNIT
};

inline TestKernels test_kernels(Isa isa) {
  TestKernels kernels{};
  for (const auto& implementation : choose(kTestImplementations, isa)) implementation.fill(kernels);
  return kernels;
}

}  // namespace linnet
