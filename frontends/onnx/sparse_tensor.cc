#include "sparse_tensor.h"

#include <cstring>

#include "environment/available_memory.h"

namespace linnet {
namespace {

// A few bytes of a model can request any size. The system would grant it and end the process when it is filled.
void check_memory(DType dtype, const Shape& shape) {
  const size_t bytes = dtype_bytes(dtype, shape.elements());
  const int64_t available = available_memory();
  if (available > 0 && bytes > size_t(available)) {
    throw Error(ErrorKind::kLimit, str("dense form of the sparse tensor ", dtype, shape, " needs ", bytes,
                                       " bytes, more than the ", available, " that this process may fill"));
  }
}

void check_form(const Tensor& values, const Tensor& indices, const Shape& shape) {
  const bool linear = indices.rank() == 1;
  const bool rows = indices.rank() == 2 && indices.dim(1) == shape.rank();
  if (values.rank() != 1 || indices.dtype() != DType::kInt64 || !(linear || rows) || indices.dim(0) != values.dim(0)) {
    throw Error(ErrorKind::kModel,
                str("sparse tensor of shape ", shape, " must have values [nnz] and indices int64[nnz] or int64[nnz,",
                    shape.rank(), "], got ", describe(values), " and ", describe(indices)));
  }
  if (values.dtype() != DType::kString && dtype_bits(values.dtype()) < 8) {
    throw Error(ErrorKind::kUnsupported, str("sparse tensor of ", values.dtype()));
  }
}

int64_t checked_index(int64_t index, int64_t size, const Shape& shape) {
  if (index < 0 || index >= size) {
    throw Error(ErrorKind::kModel, str("sparse index ", index, " is outside of shape ", shape));
  }
  return index;
}

// Returns the flat position of entry i.
int64_t position(const Tensor& indices, int64_t i, const Shape& shape) {
  const int64_t* at = indices.data<int64_t>();
  if (indices.rank() == 1) return checked_index(at[i], shape.elements(), shape);
  int64_t flat = 0;
  for (int d = 0; d < shape.rank(); ++d) {
    flat = checked_mul(flat, shape[d]) + checked_index(at[i * shape.rank() + d], shape[d], shape);
  }
  return flat;
}

void zero(Tensor& tensor) {
  if (tensor.dtype() != DType::kString && tensor.bytes() > 0) std::memset(tensor.raw(), 0, tensor.bytes());
}

}  // namespace

Tensor dense_from_coordinates(const Tensor& values, const Tensor& indices, const Shape& shape) {
  check_form(values, indices, shape);
  check_memory(values.dtype(), shape);
  Tensor dense(values.dtype(), shape);
  zero(dense);
  const size_t width = size_t(dtype_bits(values.dtype())) / 8;
  for (int64_t i = 0; i < values.size(); ++i) {
    const int64_t to = position(indices, i, shape);
    if (values.dtype() == DType::kString) {
      dense.data<std::string>()[to] = values.data<std::string>()[i];
    } else {
      std::memcpy(static_cast<char*>(dense.raw()) + size_t(to) * width,
                  static_cast<const char*>(values.raw()) + size_t(i) * width, width);
    }
  }
  return dense;
}

}  // namespace linnet
