#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "plan/plan.h"

namespace linnet {

/// Adds to the plan, whose outputs are already set, programs for the nodes that wait for shapes of the run, in order.
/// slot_of: the slot of a value in the plan, -1 for others.
void add_rests(Plan& plan, const std::vector<NodeId>& waiting, const std::function<int(ValueId)>& slot_of,
               const std::shared_ptr<const ModelResources>& resources);

}  // namespace linnet
