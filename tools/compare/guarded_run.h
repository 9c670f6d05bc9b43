#pragma once

#include <string>
#include <vector>

#include "command/options.h"
#include "linnet/model.h"

namespace linnet::tool {

/// Runs the model as it is planned and with guarded memory (ModelOptions::guard_memory), and compares all values,
/// bodies and outputs included, bit by bit: the first that differs, as a sentence; empty where all are equal. Throws
/// what loading and running throw.
std::string guarded_difference(const ModelFlags& flags, const std::vector<Tensor>& inputs);

}  // namespace linnet::tool
