#pragma once

#include "plan/plan.h"

namespace linnet {

/// Bytes before and after the memory of each slot of a guarded plan, and after each worker's scratch memory.
constexpr size_t kGuardBytes = 1024;

/// Decides which outputs overwrite their inputs and sets the offset of every arena slot. In a guarded plan no output
/// overwrites an input, and no two slots share memory.
void place_slots(Plan& plan);

}  // namespace linnet
