#pragma once

#include "tensor/dim_scope.h"
#include "tensor/dim_substitution.h"

namespace linnet {

/// What follows from lessons: each is solved for one atom, a symbol without a name first and one that the model names
/// last, or for bounds of symbols. What cannot be solved changes nothing, nor does what contradicts the lessons before
/// it. 500 atoms at most
DimSubstitution solve(const std::vector<DimScope::Lesson>& lessons);

}  // namespace linnet
