#pragma once

#include <span>
#include <vector>

#include "linnet/onnx.h"

namespace linnet {

/// Limits that end a load or a run within about a second and 64 MiB; the calling thread alone.
ModelOptions limited_options();
ContextOptions limited_context_options();

/// Inputs for the model: of the declared dims where that is not too large, 2 where they are open. Their bytes come from
/// a series that `seed` begins; 0: all zeros, and empty texts.
std::vector<Tensor> drawn_inputs(const Model& model, uint32_t seed);

}  // namespace linnet
