#pragma once

#include <memory>

#include "abi.h"
#include "linnet/containers.h"
#include "linnet/fact.h"
#include "memory.h"
#include "sparse_tensor.h"

namespace linnet::ort {

/// A tensor, sequence, map or optional (one without a value has no tensor), or a sparse tensor.
struct Value {
  Tensor tensor;
  Fact type{};  ///< of containers: what the model or the caller says of their elements
  std::shared_ptr<SparseTensor> sparse{};
  bool is_callers = false;  ///< the caller gave the memory

  bool is_tensor() const { return tensor && !is_container(tensor.dtype()); }
  ValueKind kind() const;
};

/// The tensor of a value that must be one. Throws Failure(kFail) otherwise; data_tensor_of() kRuntimeException for
/// sequences and sparse tensors.
const Tensor& data_tensor_of(const Value* value);
const Tensor& tensor_of(const Value* value);

/// A shape from a caller. Throws Failure(kInvalidArgument) for negative dims.
Shape shape_of(const int64_t* dims, size_t rank);

}  // namespace linnet::ort
