#pragma once

#include <vector>

#include "environment/run_environment.h"
#include "plan/plan.h"

namespace linnet {

/// Tells the observer of a node that ran from `begin` until now.
void report_node(Observer& observer, const Step& step, const std::vector<Tensor>& slots,
                 Observer::Clock::time_point begin);

}  // namespace linnet
