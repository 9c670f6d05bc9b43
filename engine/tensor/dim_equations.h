#pragma once

#include "tensor/dim_scope.h"
#include "tensor/dim_substitution.h"

namespace linnet {

/// What follows from lessons, each solved for one symbol, quotient, minimum or maximum, or for bounds of symbols. What
/// cannot be solved changes nothing.
DimSubstitution solve(const std::vector<DimScope::Lesson>& lessons);

}  // namespace linnet
