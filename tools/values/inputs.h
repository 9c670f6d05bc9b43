#pragma once

#include <vector>

#include "command/options.h"
#include "linnet/model.h"

namespace linnet::tool {

/// The inputs of a run in the model's order: from files as the flags say, the others generated where all are missing
/// or generating was asked for. Those that may be left out come last, where they are given. Dims that no flag or file
/// gives are 1. Notes go to stderr unless flags.quiet. Throws Error(kModel) for a misnamed or missing input, naming the
/// real ones; Failure(kUsage); what readers throw.
std::vector<Tensor> make_inputs(const Model& model, const InputFlags& flags);

/// The expected outputs of a test_data_set folder, in the model's order; as many as there are files.
std::vector<Tensor> load_expected(const Model& model, const std::string& folder);

}  // namespace linnet::tool
