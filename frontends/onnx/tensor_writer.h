#pragma once

#include <string>

#include "linnet/tensor.h"
#include "model_message.h"
#include "proto.h"

namespace linnet {

/// Stores a tensor of any dtype: strings in string_data, everything else in raw_data, sub-byte elements as bit streams.
/// Source: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto (TensorProto)
void write_tensor(const Tensor& tensor, const std::string& name, pb::TensorProto& proto);

/// Appends a tensor of numbers to `parts`, as external data.
void write_external_tensor(const Tensor& tensor, const std::string& name, ConstantParts& parts, pb::TensorProto& proto);

}  // namespace linnet
