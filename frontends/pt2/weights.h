#pragma once

#include <map>
#include <string>

#include "archive.h"
#include "linnet/tensor.h"
#include "program.h"

namespace linnet::pt2 {

/// Returns the parameters, buffers and tensor constants among a program's inputs, by their full names
/// ("encoder.weight").
/// - Contiguous tensors share the archive's bytes if it is in memory with an owner and they are aligned.
/// - Large contiguous tensors of a file are read on demand.
/// - Views with other strides are copied to contiguous tensors.
/// - Names of the same data share one tensor.
///
/// Throws Error(kModel) for malformed files and if program and weights differ, Error(kUnsupported) for what only Python
/// can read, Error(kLimit) for views that are much larger than the stored data.
std::map<std::string, Tensor> read_weights(const Archive& archive, const Program& program);

}  // namespace linnet::pt2
