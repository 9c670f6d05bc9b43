#pragma once

#include "plan/plan.h"

namespace linnet {

/// Bytes before and behind the memory of each slot of a guarded plan, and behind each worker's scratch memory.
constexpr size_t kGuardBytes = 1024;

/// Decides which outputs are written over their inputs and gives every arena slot its offset. In a guarded plan none
/// is, and no two slots share memory.
void place_slots(Plan& plan);

}  // namespace linnet
