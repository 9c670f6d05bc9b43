// Sparse tensors as values. No operator of Linnet takes them: programs may make, read and pass them on.
#include "sparse_tensor.h"

#include <algorithm>
#include <cstring>

#include "dtypes.h"
#include "slots.h"
#include "status.h"
#include "type_info.h"
#include "value.h"

namespace linnet::ort {
namespace {

SparseTensor& sparse_of(const Value* value) {
  const Value& checked = valid(value, "value");
  if (!checked.sparse) throw Failure(kFail, "the ort_value must contain a constructed sparse tensor");
  return *checked.sparse;
}

/// The one that `value` holds, whose format nobody has chosen yet.
SparseTensor& unfilled(Value* value) {
  SparseTensor& sparse = sparse_of(value);
  require(sparse.format == kUndefinedSparse, "the sparse tensor has a format already");
  return sparse;
}

Tensor copy_of(DType dtype, const Shape& shape, const void* data) {
  Tensor copy(dtype, shape);
  require(data || copy.bytes() == 0, "values and indices must not be NULL");
  if (dtype == DType::kString) {
    const auto* texts = static_cast<const char* const*>(data);
    for (int64_t i = 0; i < copy.size(); ++i) copy.data<std::string>()[i] = text(texts[i], "a string");
  } else if (copy.bytes() > 0) {
    std::memcpy(copy.raw(), data, copy.bytes());
  }
  return copy;
}

template <class T>
Tensor indices_of(const T* data, const Shape& shape) {
  return copy_of(linnet::dtype_of<T>, shape, data);
}

void check_indices(const Tensor& indices, int64_t limit, const char* message) {
  for (const int64_t index : indices.values<int64_t>()) require(index >= 0 && index < limit, message);
}

/// One index of an element, or one for each of two axes.
Tensor coo_indices(const SparseTensor& sparse, const int64_t* indices, size_t count, int64_t values) {
  const bool is_linear = int64_t(count) == values;
  require(is_linear || int64_t(count) == checked_mul(2, values), "the number of indices is not that of the values");
  Tensor copy = indices_of(indices, is_linear ? Shape{values} : Shape{values, 2});
  if (is_linear) check_indices(copy, sparse.shape.elements(), "an index is out of bounds");
  return copy;
}

std::vector<Tensor> csr_indices(const SparseTensor& sparse, const int64_t* inner, size_t inner_count,
                                const int64_t* outer, size_t outer_count, int64_t values) {
  require(sparse.shape.rank() == 2, "a tensor in CSR format has two dims");
  require(int64_t(inner_count) == values, "the number of inner indices is not that of the values");
  const bool is_empty = values == 0 && outer_count == 0;
  require(is_empty || int64_t(outer_count) == sparse.shape[0] + 1, "there is one outer index more than rows");
  std::vector<Tensor> both = {indices_of(inner, Shape{int64_t(inner_count)}),
                              indices_of(outer, Shape{int64_t(outer_count)})};
  check_indices(both[0], sparse.shape[1], "an inner index is out of bounds");
  check_indices(both[1], values + 1, "an outer index is out of bounds");
  return both;
}

void fill(SparseTensor& sparse, SparseFormat format, Tensor values, std::vector<Tensor> indices) {
  sparse.values = std::move(values);
  sparse.indices = std::move(indices);
  sparse.format = format;
}

const Tensor& indices_at(const SparseTensor& sparse, SparseIndices kind) {
  const bool fits = (kind == kCooIndices && sparse.format == kCoo) ||
                    ((kind == kCsrInner || kind == kCsrOuter) && sparse.format == kCsr) ||
                    (kind == kBlockSparseIndices && sparse.format == kBlockSparse);
  require(fits, "the sparse tensor has no such indices");
  return sparse.indices[kind == kCsrOuter ? 1 : 0];
}

void check_cpu(const MemoryInfo* memory) {
  require(valid(memory, "data_mem_info").is_cpu(), "Linnet has the CPU's memory only");
}

TensorTypeAndShapeInfo* info_of(const Tensor& tensor) {
  return new TensorTypeAndShapeInfo(tensor_info(Fact(tensor.dtype(), tensor.shape())));
}

}  // namespace

Status* IsSparseTensor(const Value* value, int* is_sparse) noexcept {
  return guarded([&] { valid(is_sparse, "out") = valid(value, "value").sparse != nullptr; });
}

Status* CreateSparseTensorAsOrtValue(Allocator* allocator, const int64_t* dims, size_t rank, ElementType type,
                                     Value** created) noexcept {
  return create(created, [&] {
    valid(allocator, "allocator");
    auto sparse = std::make_shared<SparseTensor>(SparseTensor{dtype_of(type), shape_of(dims, rank)});
    return new Value{.sparse = std::move(sparse)};
  });
}

Status* CreateSparseTensorWithValuesAsOrtValue(const MemoryInfo* memory, void* data, const int64_t* dims, size_t rank,
                                               const int64_t* value_dims, size_t value_rank, ElementType type,
                                               Value** created) noexcept {
  return create(created, [&] {
    check_cpu(memory);
    const DType dtype = dtype_of(type);
    require(dtype != DType::kString, "Can not use strings in pre-allocated memory. Use CreateSparseTensorAsOrtValue");
    const Shape shape = shape_of(value_dims, value_rank);
    require(data || shape.elements() == 0, "p_data must not be NULL");
    auto sparse = std::make_shared<SparseTensor>(SparseTensor{dtype, shape_of(dims, rank)});
    sparse->values = Tensor::wrap(dtype, shape, data);
    return new Value{.sparse = std::move(sparse)};
  });
}

Status* FillSparseTensorCoo(Value* value, const MemoryInfo* memory, const int64_t* value_dims, size_t value_rank,
                            const void* values, const int64_t* indices, size_t count) noexcept {
  return guarded([&] {
    check_cpu(memory);
    SparseTensor& sparse = unfilled(value);
    const Shape shape = shape_of(value_dims, value_rank);
    std::vector<Tensor> where = {coo_indices(sparse, indices, count, shape.elements())};
    fill(sparse, kCoo, copy_of(sparse.dtype, shape, values), std::move(where));
  });
}

Status* FillSparseTensorCsr(Value* value, const MemoryInfo* memory, const int64_t* value_dims, size_t value_rank,
                            const void* values, const int64_t* inner, size_t inner_count, const int64_t* outer,
                            size_t outer_count) noexcept {
  return guarded([&] {
    check_cpu(memory);
    SparseTensor& sparse = unfilled(value);
    const Shape shape = shape_of(value_dims, value_rank);
    auto where = csr_indices(sparse, inner, inner_count, outer, outer_count, shape.elements());
    fill(sparse, kCsr, copy_of(sparse.dtype, shape, values), std::move(where));
  });
}

Status* FillSparseTensorBlockSparse(Value* value, const MemoryInfo* memory, const int64_t* value_dims,
                                    size_t value_rank, const void* values, const int64_t* index_dims, size_t index_rank,
                                    const int32_t* indices) noexcept {
  return guarded([&] {
    check_cpu(memory);
    SparseTensor& sparse = unfilled(value);
    std::vector<Tensor> where = {indices_of(indices, shape_of(index_dims, index_rank))};
    fill(sparse, kBlockSparse, copy_of(sparse.dtype, shape_of(value_dims, value_rank), values), std::move(where));
  });
}

Status* UseCooIndices(Value* value, int64_t* indices, size_t count) noexcept {
  return guarded([&] {
    SparseTensor& sparse = unfilled(value);
    fill(sparse, kCoo, sparse.values, {coo_indices(sparse, indices, count, sparse.values.size())});
  });
}

Status* UseCsrIndices(Value* value, int64_t* inner, size_t inner_count, int64_t* outer, size_t outer_count) noexcept {
  return guarded([&] {
    SparseTensor& sparse = unfilled(value);
    fill(sparse, kCsr, sparse.values,
         csr_indices(sparse, inner, inner_count, outer, outer_count, sparse.values.size()));
  });
}

Status* UseBlockSparseIndices(Value* value, const int64_t* dims, size_t rank, int32_t* indices) noexcept {
  return guarded([&] {
    SparseTensor& sparse = unfilled(value);
    fill(sparse, kBlockSparse, sparse.values, {indices_of<int32_t>(indices, shape_of(dims, rank))});
  });
}

Status* GetSparseTensorFormat(const Value* value, SparseFormat* format) noexcept {
  return guarded([&] { valid(format, "out") = sparse_of(value).format; });
}

Status* GetSparseTensorValuesTypeAndShape(const Value* value, TensorTypeAndShapeInfo** info) noexcept {
  return create(info, [&] { return info_of(sparse_of(value).values); });
}

Status* GetSparseTensorValues(const Value* value, const void** data) noexcept {
  return guarded([&] {
    const Tensor& values = sparse_of(value).values;
    require(values.dtype() != DType::kString, "Use GetStringTensor*() API to retrieve strings");
    valid(data, "out") = values.raw();
  });
}

Status* GetSparseTensorIndicesTypeShape(const Value* value, SparseIndices kind,
                                        TensorTypeAndShapeInfo** info) noexcept {
  return create(info, [&] { return info_of(indices_at(sparse_of(value), kind)); });
}

Status* GetSparseTensorIndices(const Value* value, SparseIndices kind, size_t* count, const void** indices) noexcept {
  return guarded([&] {
    const Tensor& found = indices_at(sparse_of(value), kind);
    valid(count, "num_indices") = size_t(found.size());
    valid(indices, "indices") = found.raw();
  });
}

}  // namespace linnet::ort
