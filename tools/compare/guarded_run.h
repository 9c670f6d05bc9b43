#pragma once

#include <string>
#include <vector>

#include "command/options.h"
#include "linnet/model.h"

namespace linnet::tool {

/// Runs the model as planned and with guarded memory (ModelOptions::guard_memory), and compares all values, including
/// those of bodies and outputs, bit by bit. Returns a sentence about the first that differs; empty if all are equal.
/// Throws what loading and running throw.
std::string guarded_difference(const ModelFlags& flags, const std::vector<Tensor>& inputs);

}  // namespace linnet::tool
