#pragma once

#include <string_view>
#include <vector>

#include "kernels/isa.h"

namespace linnet {

/// Returns the kernels of a family from the best unit for resolve_isa(isa). Family is one of the structs of function
/// pointers that families.txt names. Throws the errors of resolve_isa(), and Error(kUnsupported) where the build has no
/// unit of the family.
template <class Family>
const Family& kernels_for(Isa isa);

/// The same, but returns nullptr where the build has no unit of the family.
template <class Family>
const Family* find_kernels(Isa isa);

/// The implementation of a family that kernels_for() chooses. isa: the instruction set that it needs, in the form of
/// isa_name().
struct ChosenKernels {
  std::string_view family, isa;
};
/// Returns the chosen implementations of all families. Throws the errors of resolve_isa().
LINNET_API std::vector<ChosenKernels> chosen_kernels(Isa isa);

/// Returns the families that kernels_for() was called for since the process began, in alphabetical order.
LINNET_API std::vector<std::string_view> used_kernels();

}  // namespace linnet
