#pragma once

#include <vector>

#include "command/options.h"
#include "linnet/model.h"

namespace linnet::tool {

/// The outputs of one run, in separate memory.
std::vector<Tensor> run_once(const Model& model, const ModelFlags& flags, const std::vector<Tensor>& inputs);

}  // namespace linnet::tool
