#pragma once

#include <string>
#include <vector>

#include "command/options.h"
#include "linnet/model.h"

namespace linnet::tool {

/// The inputs of several runs, each in the model's order. `from` is one of:
/// - a number of runs, whose inputs are generated as the flags specify, each with the next seed;
/// - a folder whose images, .npy and .npz files and test_data_set_N folders contain one run each, in the order of their
///   names;
/// - one such file.
/// An image or .npy is the only input of the model. Throws Failure(kUsage) if `from` is something else or the folder
/// has no such files, and what make_inputs() throws, naming the file.
std::vector<std::vector<Tensor>> make_samples(const Model& model, const std::string& from, const InputFlags& flags);

}  // namespace linnet::tool
