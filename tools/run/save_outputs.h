#pragma once

#include <span>
#include <string>

#include "linnet/model.h"

namespace linnet::tool {

/// Writes the outputs: into a folder, where path is one or ends with "/", each as a .npy; else into one .npz. Members
/// of the .npz have the outputs' names, files those names with all but letters, digits, "_", "-" and "." as %XX.
/// Containers are written as their parts. Throws Error(kIo, kUnsupported), Failure(kRun).
void save_outputs(const Model& model, std::span<const Tensor> outputs, const std::string& path);

}  // namespace linnet::tool
