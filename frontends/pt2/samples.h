#pragma once

#include <string>
#include <utility>
#include <vector>

#include "archive.h"
#include "linnet/tensor.h"

namespace linnet::pt2 {

/// Inputs, and the outputs that PyTorch gives for them.
struct Sample {
  std::vector<std::pair<std::string, Tensor>> inputs;
  std::vector<Tensor> outputs;
};

/// The samples that linnet_torch.save_pt2 puts into an archive: extra/linnet/samples.json, a list of objects with
/// "inputs", an object of tensors, and "outputs", a list of them. A tensor has "dtype" (ONNX's name), "shape", and
/// "base64", its elements in row-major order, little endian. None where the archive has no such member. Throws
/// Error(kModel) that names the place where it is malformed.
std::vector<Sample> read_samples(const Archive& archive);

}  // namespace linnet::pt2
