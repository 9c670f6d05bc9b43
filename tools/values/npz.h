#pragma once

#include <string>
#include <utility>
#include <vector>

#include "linnet/tensor.h"

namespace linnet::tool {

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// All arrays of a .npz, in file order; the ".npy" of their member names is removed. Throws Error(kIo, kUnsupported).
NamedTensors load_npz(const std::string& path);

/// One array of a .npz. Throws Error(kIo), which names the members, if it does not exist.
Tensor load_npz_member(const std::string& path, const std::string& member);

/// Writes a .npz. The names of the tensors must be unique. Throws Error(kIo).
void save_npz(const std::string& path, const NamedTensors& tensors);

}  // namespace linnet::tool
