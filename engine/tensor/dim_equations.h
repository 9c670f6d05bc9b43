#pragma once

#include "tensor/dim_scope.h"
#include "tensor/dim_substitution.h"

namespace linnet {

/// The substitution that follows from lessons. Each lesson is solved for one atom, preferably a symbol without a name
/// and last a symbol that the model names, or for bounds of symbols. Lessons that cannot be solved or that contradict
/// earlier ones change nothing. At most 500 atoms are substituted.
DimSubstitution solve(const std::vector<DimScope::Lesson>& lessons);

}  // namespace linnet
