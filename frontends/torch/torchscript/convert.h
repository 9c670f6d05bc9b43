#pragma once

#include <ATen/core/Tensor.h>

#include "exporter/value.h"
#include "value.h"

// Conversions from PyTorch's tensors and values to those that rules see.
namespace linnet::exporter::torchscript {

/// Throws ExportError if ONNX has no such type.
DType dtype_from(at::ScalarType dtype);
at::ScalarType scalar_type_of(DType dtype);
/// Returns the type named "float32", "int64", "bool", ... Throws an ExportError that lists the names for others.
at::ScalarType scalar_type_named(const std::string& name);

/// Returns the tensor's elements in row-major order: its own memory if that is in this order, else a copy.
Tensor dense(const at::Tensor& tensor);
/// Returns a tensor of rank 0.
Tensor scalar_of(const c10::IValue& number);

/// Returns what a rule sees of a value. Only constants have contents.
exporter::Value seen(const Value& value);

}  // namespace linnet::exporter::torchscript
