#pragma once

#include <string>
#include <vector>

#include "command/options.h"
#include "linnet/model.h"

namespace linnet::tool {

/// The inputs of several runs, each in the model's order. `from`: a number of runs, whose inputs are generated as the
/// flags say, each with the next seed; or a folder, whose images, .npy and .npz files and test_data_set_N folders hold
/// one run each, in the order of their names; or one such file. An image or .npy is the only input of the model. Throws
/// Failure(kUsage) where it is none of these or the folder holds none; what make_inputs() throws, naming the file.
std::vector<std::vector<Tensor>> make_samples(const Model& model, const std::string& from, const InputFlags& flags);

}  // namespace linnet::tool
