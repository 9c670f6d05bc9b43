#pragma once

#include <string>

#include "linnet/tensor.h"

namespace linnet {

/// A tensor with the name that its file gives it; empty where it gives none.
struct NamedTensor {
  std::string name;
  Tensor tensor;
};

/// Reads a file that holds one TensorProto: the input_0.pb, output_0.pb, ... of ONNX test cases.
/// Throws Error(kIo) when the file cannot be read, Error(kModel) when it holds no tensor.
LINNET_API NamedTensor load_tensor_proto(const std::string& path);

}  // namespace linnet
