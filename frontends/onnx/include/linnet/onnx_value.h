#pragma once

#include <string>

#include "linnet/containers.h"
#include "linnet/fact.h"

namespace linnet {

/// A value with its name in the file; the name is empty if the file does not name it.
struct NamedTensor {
  std::string name;
  Tensor tensor;  ///< or a sequence, an optional or a map
};

/// Reads a file that holds one value, like the input_0.pb, output_0.pb, ... of ONNX test cases: a SequenceProto,
/// OptionalProto or MapProto if `type` is a container, else a TensorProto.
/// Throws Error(kIo) if the file cannot be read, Error(kModel) if it holds something else.
LINNET_API NamedTensor load_value_proto(const std::string& path, const Fact& type = {});

}  // namespace linnet
