#pragma once

#include <memory>

#include "abi.h"
#include "linnet/containers.h"
#include "linnet/fact.h"
#include "memory.h"
#include "sparse_tensor.h"

namespace linnet::ort {

/// A tensor, a sequence, a map, an optional (which has no tensor if it is empty), or a sparse tensor.
struct Value {
  Tensor tensor;
  Fact type{};  ///< of containers: the type that the model or the caller gives their elements
  std::shared_ptr<SparseTensor> sparse{};
  bool is_callers = false;  ///< whether the caller gave the memory

  bool is_tensor() const { return tensor && !is_container(tensor.dtype()); }
  ValueKind kind() const;
};

/// Returns the tensor of a value. For values that are no tensors, throws Failure(kFail); data_tensor_of() throws
/// Failure(kRuntimeException) for sequences and sparse tensors.
const Tensor& data_tensor_of(const Value* value);
const Tensor& tensor_of(const Value* value);

/// Returns a shape that a caller gave. Throws Failure(kInvalidArgument) for negative dims.
Shape shape_of(const int64_t* dims, size_t rank);

}  // namespace linnet::ort
