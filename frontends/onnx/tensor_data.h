#pragma once

#include "linnet/tensor.h"
#include "proto.h"

namespace linnet {

/// Returns the shape of a stored tensor. Throws Error(kShape) for negative dims, Error(kLimit) for too many.
Shape shape_from_proto(const google::protobuf::RepeatedField<int64_t>& dims);

/// Returns the values of a tensor stored in its own message, in raw_data or in the typed field of its dtype.
/// Throws Error(kModel) if the number of values is not that of the shape, or more than one field holds values.
/// Source: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto (TensorProto)
Tensor tensor_from_message(const pb::TensorProto& proto, DType dtype, const Shape& shape);

/// Makes the checks of tensor_from_message() for a tensor whose raw_data of `bytes` bytes is stored elsewhere.
void check_raw_data(const pb::TensorProto& proto, size_t bytes, DType dtype, const Shape& shape);

}  // namespace linnet
