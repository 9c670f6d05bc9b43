#pragma once

#include "plan/plan.h"

namespace linnet {

/// Decides which outputs are written over their inputs and gives every arena slot its offset.
void place_slots(Plan& plan);

}  // namespace linnet
