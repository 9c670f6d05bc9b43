#pragma once

#include <span>
#include <string>

#include "linnet/model.h"

namespace linnet::tool {

/// Writes the outputs. If path is a folder or ends with "/", writes each as a .npy into it; otherwise writes one .npz.
/// Members of the .npz have the outputs' names. Files have the names with all characters but letters, digits, "_", "-"
/// and "." as %XX. Containers are written as their parts. Throws Error(kIo, kUnsupported), Failure(kRun).
void save_outputs(const Model& model, std::span<const Tensor> outputs, const std::string& path);

}  // namespace linnet::tool
