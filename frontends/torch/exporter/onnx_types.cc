#include "onnx_types.h"

#include "export_error.h"

namespace linnet::exporter {

int32_t onnx_type(DType dtype) {
  if (dtype == DType::kUndefined || dtype > kLastElementType) throw ExportError("ONNX has no such dtype");
  return int32_t(dtype);  // both have the same numbers
}

}  // namespace linnet::exporter
