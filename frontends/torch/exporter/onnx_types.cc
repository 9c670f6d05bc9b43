#include "onnx_types.h"

#include <array>

#include "export_error.h"

namespace linnet::exporter {
namespace {

struct TypeRow {
  at::ScalarType dtype;
  int32_t onnx;
  const char* name;
};

constexpr std::array<TypeRow, 12> kTypes{{{at::kFloat, 1, "float32"},
                                          {at::kByte, 2, "uint8"},
                                          {at::kChar, 3, "int8"},
                                          {at::kShort, 5, "int16"},
                                          {at::kInt, 6, "int32"},
                                          {at::kLong, 7, "int64"},
                                          {at::kBool, 9, "bool"},
                                          {at::kHalf, 10, "float16"},
                                          {at::kDouble, 11, "float64"},
                                          {at::kComplexFloat, 14, "complex64"},
                                          {at::kComplexDouble, 15, "complex128"},
                                          {at::kBFloat16, 16, "bfloat16"}}};

}  // namespace

int32_t onnx_type(at::ScalarType dtype) {
  for (const TypeRow& row : kTypes) {
    if (row.dtype == dtype) return row.onnx;
  }
  throw ExportError(text_of("ONNX has no dtype ", c10::toString(dtype)));
}

std::string dtype_name(at::ScalarType dtype) {
  for (const TypeRow& row : kTypes) {
    if (row.dtype == dtype) return row.name;
  }
  return c10::toString(dtype);
}

at::ScalarType dtype_from_name(const std::string& name) {
  std::string names;
  for (const TypeRow& row : kTypes) {
    if (row.name == name) return row.dtype;
    names += std::string(names.empty() ? "" : ", ") + row.name;
  }
  throw ExportError("unknown dtype '" + name + "': use one of " + names);
}

}  // namespace linnet::exporter
