#include "tensors.h"

#include <algorithm>

#include "linnet/fact.h"
#include "status.h"

namespace linnet::c_api {
namespace {

size_t string_bytes(const Shape& shape) {
  return size_t(checked_mul(shape.elements(), int64_t{sizeof(linnet_string)}));
}

void check_memory(const linnet_tensor& tensor, DType dtype, const Shape& shape) {
  const size_t bytes = dtype == DType::kString ? string_bytes(shape) : dtype_bytes(dtype, shape.elements());
  if (tensor.bytes != bytes) {
    throw Error(ErrorKind::kShape,
                str(Fact(dtype, shape), " occupies ", bytes, " bytes, the memory has ", tensor.bytes));
  }
  require(tensor.data || bytes == 0, "data is NULL");
}

std::string text_of(const linnet_string& string) {
  require(string.data || string.size == 0, "data of a string is NULL");
  return string.data ? std::string(string.data, string.size) : std::string();
}

Tensor copy_strings(const linnet_tensor& tensor, const Shape& shape) {
  Tensor copy(DType::kString, shape);
  const auto* from = static_cast<const linnet_string*>(tensor.data);
  std::transform(from, from + copy.size(), copy.data<std::string>(), text_of);
  return copy;
}

}  // namespace

DType tensor_dtype(linnet_dtype dtype) {
  if (dtype > 0 && dtype <= linnet_dtype(kLastElementType)) return DType(dtype);
  throw Error(ErrorKind::kType, str("dtype ", dtype, " is not a dtype of tensors"));
}

DType number_dtype(linnet_dtype dtype) {
  if (dtype == LINNET_STRING) throw Error(ErrorKind::kUnsupported, "strings are not supported here");
  return tensor_dtype(dtype);
}

Shape shape_of(int32_t rank, const int64_t* dims) {
  require(rank >= 0, "rank is below 0");
  require(rank == 0 || dims, "dims is NULL");
  return Shape(std::span<const int64_t>(dims, size_t(rank)));
}

Tensor read_tensor(const linnet_tensor& tensor) {
  const DType dtype = tensor_dtype(tensor.dtype);
  const Shape shape = shape_of(tensor.rank, tensor.dims);
  check_memory(tensor, dtype, shape);
  return dtype == DType::kString ? copy_strings(tensor, shape) : Tensor::wrap(dtype, shape, tensor.data);
}

Tensor copy_tensor(const linnet_tensor& tensor) {
  const Tensor read = read_tensor(tensor);
  return tensor.dtype == LINNET_STRING ? read : read.clone();
}

Tensor wrap_memory(const linnet_tensor& tensor) {
  number_dtype(tensor.dtype);
  return read_tensor(tensor);
}

linnet_tensor view_numbers(const Tensor& tensor) {
  return {linnet_dtype(tensor.dtype()), tensor.rank(), tensor.shape().begin(), const_cast<void*>(tensor.raw()),
          tensor.bytes()};
}

StringViews::StringViews(const Tensor& tensor) {
  for (const std::string& text : tensor.values<std::string>()) strings_.push_back({text.data(), text.size()});
}

linnet_tensor StringViews::view(const Tensor& tensor) {
  return {LINNET_STRING, tensor.rank(), tensor.shape().begin(), strings_.data(), string_bytes(tensor.shape())};
}

}  // namespace linnet::c_api
