#pragma once

#include <cstdint>

#include "linnet/dtype.h"

namespace linnet::exporter {

/// Returns the number of a dtype in onnx.TensorProto.DataType. Throws ExportError if ONNX has no such type.
int32_t onnx_type(DType dtype);

}  // namespace linnet::exporter
