#pragma once

#include <string>

#include "linnet/containers.h"
#include "linnet/fact.h"

namespace linnet {

/// A value with the name that its file gives it; empty where it gives none.
struct NamedTensor {
  std::string name;
  Tensor tensor;
};

/// Reads a file that holds one value of a type, as the input_0.pb, output_0.pb, ... of ONNX test cases do: a
/// SequenceProto, OptionalProto or MapProto where the type is a container, else a TensorProto.
/// Throws Error(kIo) when the file cannot be read, Error(kModel) when it holds something else.
LINNET_API NamedTensor load_value_proto(const std::string& path, const Fact& type = {});

}  // namespace linnet
