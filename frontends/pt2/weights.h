#pragma once

#include <map>
#include <string>

#include "archive.h"
#include "linnet/tensor.h"
#include "program.h"

namespace linnet::pt2 {

/// The parameters, buffers and tensor constants that a program's inputs are, by their full names ("encoder.weight").
/// Dense ones share the archive's bytes where it is in memory with an owner and they are aligned; large ones of a file
/// are read when they are asked for. Views of other strides are copied, dense. Names of the same data share one tensor.
/// Throws Error(kModel) for malformed files and where program and weights differ, Error(kUnsupported) for what only
/// Python can read, Error(kLimit) for views that are much larger than what is stored.
std::map<std::string, Tensor> read_weights(const Archive& archive, const Program& program);

}  // namespace linnet::pt2
