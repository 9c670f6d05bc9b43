#pragma once

#include <string>
#include <utility>
#include <vector>

#include "archive.h"
#include "linnet/tensor.h"

namespace linnet::pt2 {

/// Inputs, and the outputs that PyTorch computes for them.
struct Sample {
  std::vector<std::pair<std::string, Tensor>> inputs;
  std::vector<Tensor> outputs;
};

/// Reads the samples that linnet_torch.save_pt2 stores in an archive. extra/linnet/samples.json is a list of objects
/// with "inputs", an object of tensors, and "outputs", a list of tensors. A tensor has "dtype" (ONNX's name), "shape",
/// and "base64": its elements in row-major order, little endian. Returns an empty list if the archive has no such
/// member. Throws an Error(kModel) that names the place if it is malformed.
std::vector<Sample> read_samples(const Archive& archive);

}  // namespace linnet::pt2
