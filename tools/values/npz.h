#pragma once

#include <string>
#include <utility>
#include <vector>

#include "linnet/tensor.h"

namespace linnet::tool {

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// All arrays of a .npz, in file order, without the ".npy" of their member names. Throws Error(kIo, kUnsupported).
NamedTensors load_npz(const std::string& path);

/// One array of a .npz. Throws Error(kIo) naming the members when it has no such one.
Tensor load_npz_member(const std::string& path, const std::string& member);

/// Writes a .npz; each tensor has a name of its own. Throws Error(kIo).
void save_npz(const std::string& path, const NamedTensors& tensors);

}  // namespace linnet::tool
