#pragma once

#include <vector>

#include "command/options.h"
#include "linnet/model.h"

namespace linnet::tool {

/// The inputs of a run in the model's order. They come from files, as the flags specify. The others are generated if
/// all are missing or generating was requested. Inputs that may be left out come last, if they are given. Dims that no
/// flag or file determines are 1. Notes go to stderr unless flags.quiet. Throws Error(kModel) for a misnamed or missing
/// input, naming the real ones; Failure(kUsage); what readers throw.
std::vector<Tensor> make_inputs(const Model& model, const InputFlags& flags);

/// The expected outputs of a test_data_set folder, in the model's order, as many as there are files.
std::vector<Tensor> load_expected(const Model& model, const std::string& folder);

}  // namespace linnet::tool
