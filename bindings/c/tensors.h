#pragma once

#include <vector>

#include "linnet.h"
#include "linnet/tensor.h"

namespace linnet::c_api {

/// Throw Error(kType) for a number that no dtype of tensors has, number_dtype() Error(kUnsupported) for that of
/// strings.
DType tensor_dtype(linnet_dtype dtype);
DType number_dtype(linnet_dtype dtype);

/// Throws ArgumentError where dims are missing, Error(kLimit) beyond kMaxRank, Error(kShape) for a negative dim.
Shape shape_of(int32_t rank, const int64_t* dims);

/// The caller's memory as a tensor; a copy of strings. Throws as above, ArgumentError where data is missing,
/// Error(kShape) where `bytes` are not those of the elements.
Tensor read_tensor(const linnet_tensor& tensor);
/// The same, in memory of its own.
Tensor copy_tensor(const linnet_tensor& tensor);
/// The caller's memory where it is written to. Throws Error(kUnsupported) for strings.
Tensor wrap_memory(const linnet_tensor& tensor);

/// The memory of a tensor of numbers, as long as the tensor stays where it is.
linnet_tensor view_numbers(const Tensor& tensor);

/// The strings of a tensor in C's form.
class StringViews {
 public:
  explicit StringViews(const Tensor& tensor);

  /// As long as this and the tensor stay where they are.
  linnet_tensor view(const Tensor& tensor);

 private:
  std::vector<linnet_string> strings_;
};

}  // namespace linnet::c_api
