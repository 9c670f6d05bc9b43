#pragma once

#include <cstdint>

#include "linnet/dtype.h"

namespace linnet::exporter {

/// The number of a dtype in onnx.TensorProto.DataType. Throws ExportError where ONNX has no such type.
int32_t onnx_type(DType dtype);

}  // namespace linnet::exporter
