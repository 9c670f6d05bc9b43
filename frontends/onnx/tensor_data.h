#pragma once

#include "linnet/tensor.h"
#include "proto.h"

namespace linnet {

/// The shape of a stored tensor. Throws Error(kShape) for negative dims, Error(kLimit) for too many.
Shape shape_from_proto(const google::protobuf::RepeatedField<int64_t>& dims);

/// The values of a tensor stored in its own message, in raw_data or in the typed field of its dtype.
/// Throws Error(kModel) when the number of values is not that of the shape or more than one field holds values.
/// Source: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto (TensorProto)
Tensor tensor_from_message(const pb::TensorProto& proto, DType dtype, const Shape& shape);

/// Checks a tensor whose raw_data of so many bytes lies elsewhere as tensor_from_message does.
void check_raw_data(const pb::TensorProto& proto, size_t bytes, DType dtype, const Shape& shape);

}  // namespace linnet
