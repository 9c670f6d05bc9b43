#pragma once

#include <span>
#include <vector>

#include "linnet/onnx.h"

namespace linnet {

/// Returns limits that end a load or a run within about a second and 64 MiB, on the calling thread only.
ModelOptions limited_options();
ContextOptions limited_context_options();

/// Returns inputs for the model, with the declared dims unless they are too large, and 2 for open dims. `seed`
/// determines their bytes; 0: all zeros, and empty texts.
std::vector<Tensor> drawn_inputs(const Model& model, uint32_t seed);

}  // namespace linnet
