#pragma once

#include <vector>

#include "linnet.h"
#include "linnet/tensor.h"

namespace linnet::c_api {

/// The DType of a number of the C API. Throw Error(kType) for a number that is no dtype of tensors; number_dtype()
/// throws Error(kUnsupported) for strings.
DType tensor_dtype(linnet_dtype dtype);
DType number_dtype(linnet_dtype dtype);

/// Throws ArgumentError if dims are missing, Error(kLimit) beyond kMaxRank, Error(kShape) for a negative dim.
Shape shape_of(int32_t rank, const int64_t* dims);

/// A tensor over the caller's memory; strings are copied. Throws as above, ArgumentError if data is missing,
/// Error(kShape) if `bytes` is not the size of the elements.
Tensor read_tensor(const linnet_tensor& tensor);
/// The same as a copy.
Tensor copy_tensor(const linnet_tensor& tensor);
/// A tensor over the caller's memory, to be written to. Throws Error(kUnsupported) for strings.
Tensor wrap_memory(const linnet_tensor& tensor);

/// The memory of a tensor of numbers; valid as long as the tensor is not moved or destroyed.
linnet_tensor view_numbers(const Tensor& tensor);

/// The strings of a tensor in C's form.
class StringViews {
 public:
  explicit StringViews(const Tensor& tensor);

  /// Valid as long as this and the tensor are not moved or destroyed.
  linnet_tensor view(const Tensor& tensor);

 private:
  std::vector<linnet_string> strings_;
};

}  // namespace linnet::c_api
