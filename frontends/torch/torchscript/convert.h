#pragma once

#include <ATen/core/Tensor.h>

#include "exporter/value.h"
#include "value.h"

// From PyTorch's tensors and values to those that rules see.
namespace linnet::exporter::torchscript {

/// Throws ExportError where ONNX has no such type.
DType dtype_from(at::ScalarType dtype);
at::ScalarType scalar_type_of(DType dtype);
/// "float32", "int64", "bool" ... Throws ExportError, which lists the names.
at::ScalarType scalar_type_named(const std::string& name);

/// The tensor's elements in order: its own memory where they are in order there, else a copy.
Tensor dense(const at::Tensor& tensor);
/// A tensor of rank 0.
Tensor scalar_of(const c10::IValue& number);

/// What a rule sees of a value; the contents of constants only.
exporter::Value seen(const Value& value);

}  // namespace linnet::exporter::torchscript
