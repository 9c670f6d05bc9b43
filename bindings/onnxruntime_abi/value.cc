#include "value.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "dtypes.h"
#include "slots.h"
#include "status.h"
#include "type_info.h"

namespace linnet::ort {
namespace {

/// Returns an owner of memory that the caller's function frees. All copies of a tensor share it.
std::shared_ptr<const void> owner_of(Allocator* deleter, void* memory) {
  return {memory, [deleter](const void* freed) { deleter->free(deleter, const_cast<void*>(freed)); }};
}

size_t checked_bytes(DType dtype, const Shape& shape, size_t given) {
  const size_t needed = dtype_bytes(dtype, shape.elements());
  if (given >= needed) return needed;
  throw Failure(kInvalidArgument, str("not enough space: expected ", needed, ", got ", given));
}

/// Returns a tensor over memory of the caller. `owner` frees the memory; if it is nullptr, the caller does.
Value* wrap(void* data, size_t bytes, const int64_t* dims, size_t rank, ElementType type,
            const std::shared_ptr<const void>& owner) {
  const Shape shape = shape_of(dims, rank);
  const DType dtype = dtype_of(type);
  require(data || checked_bytes(dtype, shape, bytes) == 0, "p_data must not be NULL");
  checked_bytes(dtype, shape, bytes);
  return new Value{.tensor = owner ? Tensor::share(dtype, shape, data, owner) : Tensor::wrap(dtype, shape, data),
                   .is_callers = true};
}

size_t offset_of(const Tensor& tensor, const int64_t* location, size_t rank) {
  if (int(rank) != tensor.rank()) throw Failure(kInvalidArgument, "location dimensions do not match shape size");
  int64_t offset = 0;
  for (int i = 0; i < tensor.rank(); ++i) {
    const int64_t at = location[i];
    if (at < 0 || at >= tensor.dim(i)) throw Failure(kInvalidArgument, "invalid location range");
    offset = checked_add(checked_mul(offset, tensor.dim(i)), at);
  }
  return dtype_bytes(tensor.dtype(), offset);
}

}  // namespace

ValueKind Value::kind() const {
  if (sparse) return kSparseTensorKind;
  switch (tensor.dtype()) {
    case DType::kUndefined:
      return type.dtype == DType::kOptional ? kOptionalKind : kUnknownKind;
    case DType::kSequence:
      return kSequenceKind;
    case DType::kMap:
      return kMapKind;
    case DType::kOptional:
      return kOptionalKind;
    default:
      return kTensorKind;
  }
}

const Tensor& data_tensor_of(const Value* value) {
  const ValueKind kind = valid(value, "value").kind();
  if (kind == kSequenceKind || kind == kSparseTensorKind) throw Failure(kRuntimeException, "the value is not a tensor");
  return tensor_of(value);
}

const Tensor& tensor_of(const Value* value) {
  const Value& checked = valid(value, "value");
  if (!checked.is_tensor()) throw Failure(kFail, "Argument is not a tensor");
  return checked.tensor;
}

Shape shape_of(const int64_t* dims, size_t rank) {
  require(dims || rank == 0, "shape must not be NULL");
  const std::span<const int64_t> given(dims, rank);
  require(std::none_of(given.begin(), given.end(), [](int64_t dim) { return dim < 0; }),
          "tried creating tensor with negative value in shape");
  return Shape(given);
}

Status* CreateTensorAsOrtValue(Allocator* allocator, const int64_t* dims, size_t rank, ElementType type,
                               Value** created) noexcept {
  return create(created, [&]() -> Value* {
    Allocator& from = valid(allocator, "allocator");
    require(dims || rank == 0, "shape must not be NULL");
    if (std::any_of(dims, dims + rank, [](int64_t dim) { return dim < 0; })) {
      throw Failure(kFail, "Tensor shape.Size() must be >= 0");
    }
    const Shape shape = shape_of(dims, rank);
    const DType dtype = dtype_of(type);
    if (is_own(from) || dtype == DType::kString) return new Value{Tensor(dtype, shape)};
    void* data = allocate(&from, dtype_bytes(dtype, shape.elements()));
    return new Value{Tensor::share(dtype, shape, data, owner_of(&from, data))};
  });
}

Status* CreateTensorWithDataAsOrtValue(const MemoryInfo* memory, void* data, size_t bytes, const int64_t* dims,
                                       size_t rank, ElementType type, Value** created) noexcept {
  return create(created, [&] {
    require(valid(memory, "info").is_cpu(), "Linnet has the CPU's memory only");
    return wrap(data, bytes, dims, rank, type, nullptr);
  });
}

Status* CreateTensorWithDataAndDeleterAsOrtValue(Allocator* deleter, void* data, size_t bytes, const int64_t* dims,
                                                 size_t rank, ElementType type, Value** created) noexcept {
  return create(created, [&] {
    valid(deleter, "deleter");
    return wrap(data, bytes, dims, rank, type, owner_of(deleter, data));
  });
}

void ReleaseValue(Value* value) noexcept { delete value; }

Status* IsTensor(const Value* value, int* is_tensor) noexcept {
  return guarded([&] { valid(is_tensor, "out") = valid(value, "value").kind() == kTensorKind; });
}

Status* HasValue(const Value* value, int* has_value) noexcept {
  return guarded([&] {
    const Value& checked = valid(value, "value");
    const bool is_empty =
        checked.kind() == kOptionalKind && (!checked.tensor || !checked.tensor.values<Optional>()[0].value);
    valid(has_value, "out") = !is_empty;
  });
}

Status* GetValueType(const Value* value, ValueKind* kind) noexcept {
  return guarded([&] { valid(kind, "out") = valid(value, "value").kind(); });
}

Status* GetTensorMutableData(Value* value, void** data) noexcept {
  return guarded([&] { valid(data, "out") = const_cast<void*>(data_tensor_of(value).raw()); });
}

Status* GetTensorData(const Value* value, const void** data) noexcept {
  return guarded([&] { valid(data, "out") = data_tensor_of(value).raw(); });
}

Status* TensorAt(Value* value, const int64_t* location, size_t rank, void** element) noexcept {
  return guarded([&] {
    const Tensor& tensor = tensor_of(value);
    require(tensor.dtype() != DType::kString, "this API does not support strings");
    require(dtype_bits(tensor.dtype()) >= 8, "this API does not support elements of less than a byte");
    require(location || rank == 0, "location_values must not be NULL");
    valid(element, "out") =
        static_cast<std::byte*>(const_cast<void*>(tensor.raw())) + offset_of(tensor, location, rank);
  });
}

Status* GetTensorSizeInBytes(const Value* value, size_t* bytes) noexcept {
  return guarded([&] {
    const Value& checked = valid(value, "value");
    require(checked.is_tensor(), "OrtValue must contain a tensor");
    require(checked.tensor.dtype() != DType::kString, "String tensors are not supported by this API");
    valid(bytes, "size") = checked.tensor.bytes();
  });
}

Status* GetTensorTypeAndShape(const Value* value, TensorTypeAndShapeInfo** info) noexcept {
  return create(info, [&] {
    const Value& checked = valid(value, "value");
    if (checked.sparse)
      return new TensorTypeAndShapeInfo(tensor_info(Fact(checked.sparse->dtype, checked.sparse->shape)));
    return new TensorTypeAndShapeInfo(tensor_info(Fact(tensor_of(value).dtype(), tensor_of(value).shape())));
  });
}

Status* GetTensorElementTypeAndShapeDataReference(const Value* value, ElementType* type, const int64_t** dims,
                                                  size_t* rank) noexcept {
  return guarded([&] {
    const Tensor& tensor = tensor_of(value);
    valid(type, "elem_type") = element_type(tensor.dtype());
    valid(dims, "shape_data") = tensor.rank() == 0 ? nullptr : tensor.shape().begin();
    valid(rank, "shape_data_count") = size_t(tensor.rank());
  });
}

Status* GetTensorMemoryInfo(const Value* value, const MemoryInfo** memory) noexcept {
  return guarded([&] {
    data_tensor_of(value);
    valid(memory, "mem_info") = &cpu_memory();
  });
}

}  // namespace linnet::ort
