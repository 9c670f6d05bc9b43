// Sparse tensors as values. No operator of Linnet accepts them; programs may create, read and pass them on.
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
  if (!checked.sparse) throw Failure(kRuntimeException, "the ort_value must contain a constructed sparse tensor");
  return *checked.sparse;
}

/// Returns the sparse tensor in a value. Throws Failure(kFail) unless it has values and indices.
const SparseTensor& filled(const Value* value) {
  const SparseTensor& sparse = sparse_of(value);
  if (sparse.format == kUndefinedSparse) throw Failure(kFail, "the ort_value does not contain sparse data");
  return sparse;
}

/// Returns the sparse tensor in `value`. Throws Failure(kFail) if its format was set before.
SparseTensor& unfilled(Value* value) {
  SparseTensor& sparse = sparse_of(value);
  if (sparse.format != kUndefinedSparse) throw Failure(kFail, "the sparse tensor already has populated indices");
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

void check_index(int64_t index, int64_t limit, const char* kind) {
  if (index >= 0 && index < limit) return;
  throw Failure(kInvalidArgument, str(kind, " index is out of bounds: ", index));
}

void check_pair(const int64_t* pair, const Shape& shape) {
  if (pair[0] >= 0 && pair[0] < shape[0] && pair[1] >= 0 && pair[1] < shape[1]) return;
  throw Failure(kInvalidArgument, str("COO index is out of bounds: (", pair[0], ", ", pair[1], ")"));
}

/// One index per element, or one per axis for a tensor of two axes.
Tensor coo_indices(const SparseTensor& sparse, const int64_t* indices, size_t count, int64_t values) {
  const bool is_linear = int64_t(count) == values;
  const bool is_pairs = sparse.shape.rank() == 2 && int64_t(count) == checked_mul(2, values);
  if (!is_linear && !is_pairs)
    throw Failure(kInvalidArgument, str("COO indices count ", count, " does not fit values"));
  Tensor copy = indices_of(indices, is_linear ? Shape{values} : Shape{values, 2});
  for (int64_t i = 0; i < values; ++i) {
    if (is_linear) check_index(indices[i], sparse.shape.elements(), "COO");
    if (!is_linear) check_pair(indices + 2 * i, sparse.shape);
  }
  return copy;
}

std::vector<Tensor> csr_indices(const SparseTensor& sparse, const int64_t* inner, size_t inner_count,
                                const int64_t* outer, size_t outer_count, int64_t values) {
  if (sparse.shape.rank() != 2) throw Failure(kFail, "a tensor in CSR format has two dims");
  const bool is_empty = values == 0 && outer_count == 0;
  if (!is_empty && int64_t(outer_count) != sparse.shape[0] + 1)
    throw Failure(kFail, "there is one outer index more than rows");
  std::vector<Tensor> both = {indices_of(inner, Shape{int64_t(inner_count)}),
                              indices_of(outer, Shape{int64_t(outer_count)})};
  const std::span<const int64_t> starts(outer, outer_count);
  const bool ends = is_empty || (starts.back() == values && int64_t(inner_count) == values);
  require(ends, "the last element of the outer indices is not the number of values");
  require(std::is_sorted(starts.begin(), starts.end()) && (is_empty || starts.front() >= 0),
          "outer indices must increase monotonically");
  for (const int64_t index : std::span(inner, inner_count)) check_index(index, sparse.shape[1], "CSR inner");
  return both;
}

/// The positions, [2, blocks], of blocks of values, [blocks, rows, columns].
Tensor block_indices(const Shape& values, const Shape& shape, const int32_t* indices) {
  const bool fits = values.rank() == 3 && shape.rank() == 2 && shape[0] == 2 && shape[1] == values[0];
  if (!fits) throw Failure(kFail, "values in blocks have three dims, their indices two: 2 and as many as blocks");
  return indices_of(indices, shape);
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
  if (!fits) throw Failure(kFail, "the sparse tensor has no such indices");
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
    const Shape shape = shape_of(value_dims, value_rank);
    std::vector<Tensor> where = {block_indices(shape, shape_of(index_dims, index_rank), indices)};
    fill(sparse, kBlockSparse, copy_of(sparse.dtype, shape, values), std::move(where));
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
    fill(sparse, kBlockSparse, sparse.values, {block_indices(sparse.values.shape(), shape_of(dims, rank), indices)});
  });
}

Status* GetSparseTensorFormat(const Value* value, SparseFormat* format) noexcept {
  return guarded([&] { valid(format, "out") = sparse_of(value).format; });
}

Status* GetSparseTensorValuesTypeAndShape(const Value* value, TensorTypeAndShapeInfo** info) noexcept {
  return create(info, [&] { return info_of(filled(value).values); });
}

Status* GetSparseTensorValues(const Value* value, const void** data) noexcept {
  return guarded([&] {
    const Tensor& values = filled(value).values;
    require(values.dtype() != DType::kString, "Use GetStringTensor*() API to retrieve strings");
    valid(data, "out") = values.raw();
  });
}

Status* GetSparseTensorIndicesTypeShape(const Value* value, SparseIndices kind,
                                        TensorTypeAndShapeInfo** info) noexcept {
  return create(info, [&] { return info_of(indices_at(filled(value), kind)); });
}

Status* GetSparseTensorIndices(const Value* value, SparseIndices kind, size_t* count, const void** indices) noexcept {
  return guarded([&] {
    const Tensor& found = indices_at(filled(value), kind);
    valid(count, "num_indices") = size_t(found.size());
    valid(indices, "indices") = found.raw();
  });
}

}  // namespace linnet::ort
