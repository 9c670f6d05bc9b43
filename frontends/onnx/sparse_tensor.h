#pragma once

#include "linnet/tensor.h"

namespace linnet {

/// Returns the dense form of a sparse tensor in coordinate format: zeros, with values[i] at the position of row i.
/// - values: [nnz], any dtype of whole bytes.
/// - indices: int64 [nnz] (positions in the flat tensor) or [nnz, rank].
///
/// Throws Error(kModel) if these do not fit or a position is outside `shape`, Error(kLimit) if the dense form is larger
/// than the memory that the process may fill.
/// Source: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto (SparseTensorProto)
Tensor dense_from_coordinates(const Tensor& values, const Tensor& indices, const Shape& shape);

}  // namespace linnet
