#pragma once

#include <string_view>
#include <vector>

#include "kernels/isa.h"

namespace linnet {

/// The kernels of a family: the best unit for resolve_isa(isa). Family is one of the structs of function pointers that
/// families.txt names. Throws what resolve_isa() throws, and Error(kUnsupported) where the build has no unit of the
/// family.
template <class Family>
const Family& kernels_for(Isa isa);

/// The same; nullptr where the build has no unit of the family.
template <class Family>
const Family* find_kernels(Isa isa);

/// The implementation of a family that kernels_for() chooses: the instruction set it needs, as isa_name() writes it.
struct ChosenKernels {
  std::string_view family, isa;
};
/// Those of all families. Throws what resolve_isa() throws.
LINNET_API std::vector<ChosenKernels> chosen_kernels(Isa isa);

/// The families that kernels_for() was asked for since the process began, in alphabetical order.
LINNET_API std::vector<std::string_view> used_kernels();

}  // namespace linnet
