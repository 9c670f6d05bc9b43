#pragma once

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <string>

namespace linnet::exporter {

/// The number of a dtype in onnx.TensorProto.DataType. Throws ExportError where ONNX has no such type.
int32_t onnx_type(at::ScalarType dtype);

/// "float32", "int64", "bool" ... as the command line and reports spell dtypes.
std::string dtype_name(at::ScalarType dtype);
/// Throws ExportError, which lists the names.
at::ScalarType dtype_from_name(const std::string& name);

}  // namespace linnet::exporter
