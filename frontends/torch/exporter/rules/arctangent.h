#pragma once

#include <string>

#include "linnet/lowering.h"

namespace linnet::exporter {

/// Returns the angle from the positive x axis to a point, in the dtype of the call's result.
std::string arctangent(Call& call, std::string y, std::string x);

}  // namespace linnet::exporter
