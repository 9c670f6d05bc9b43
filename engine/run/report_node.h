#pragma once

#include <vector>

#include "plan/plan.h"
#include "run/environment.h"

namespace linnet {

/// Tells the observer of a node that ran from `begin` until now.
void report_node(Observer& observer, const Step& step, const std::vector<Tensor>& slots,
                 Observer::Clock::time_point begin);

}  // namespace linnet
