#include "type_info.h"

#include <algorithm>

#include "dtypes.h"
#include "slots.h"
#include "status.h"

namespace linnet::ort {
namespace {

std::shared_ptr<const TypeInfo> shared_info(const std::shared_ptr<const Fact>& element) {
  return std::make_shared<const TypeInfo>(element ? type_info(*element) : TypeInfo());
}

/// Returns the info of a sequence's elements, which may differ in shape.
std::shared_ptr<const TypeInfo> element_info(const std::shared_ptr<const Fact>& element) {
  return std::make_shared<const TypeInfo>(element ? type_info(without_shape(*element)) : TypeInfo());
}

int64_t element_count(const std::vector<int64_t>& dims) {
  int64_t count = 1;
  for (const int64_t dim : dims) {
    if (dim < 0) throw Failure(kFail, "Integer overflow: the shape has an open dim, so its elements cannot be counted");
    count = checked_mul(count, dim);
  }
  return count;
}

/// Creates a copy that the caller owns.
Status* copy_info(const std::shared_ptr<const TypeInfo>& info, TypeInfo** created) noexcept {
  return create(created, [&] { return new TypeInfo(*info); });
}

}  // namespace

void TensorTypeAndShapeInfo::set_dims(std::vector<int64_t> sizes) {
  dims = std::move(sizes);
  symbols.assign(dims.size(), "");
  has_shape = true;
}

TensorTypeAndShapeInfo tensor_info(const Fact& fact) {
  TensorTypeAndShapeInfo info{.type = element_type(fact.dtype), .has_shape = fact.has_rank()};
  if (!fact.has_rank()) return info;
  for (const Dim& dim : *fact.dims) {
    info.dims.push_back(dim.value());
    info.symbols.push_back(dim.symbol());
  }
  return info;
}

TypeInfo type_info(const Fact& fact) {
  TypeInfo info;
  switch (fact.dtype) {
    case DType::kSequence:
      info.kind = kSequenceKind;
      info.sequence.element = element_info(fact.element);
      return info;
    case DType::kOptional:
      info.kind = kOptionalKind;
      info.optional.contained = shared_info(fact.element);
      return info;
    case DType::kMap:
      info.kind = kMapKind;
      info.map = {element_type(fact.key), shared_info(fact.element)};
      return info;
    default:
      info.kind = kTensorKind;
      info.tensor = tensor_info(fact);
      return info;
  }
}

TypeInfo type_info(const ValueInfo& value) {
  TypeInfo info = type_info(value.fact);
  info.denotation = value.denotation.type;
  return info;
}

Fact fact_of(const TensorTypeAndShapeInfo& info) {
  Fact fact;
  fact.dtype = dtype_of(info.type);
  if (!info.has_shape) return fact;
  Dims dims;
  for (size_t i = 0; i < info.dims.size(); ++i) {
    dims.push_back(info.dims[i] >= 0 ? Dim(info.dims[i]) : Dim(info.symbols[i]));
  }
  fact.dims = std::move(dims);
  return fact;
}

Fact fact_of(const TypeInfo& info) {
  switch (info.kind) {
    case kSequenceKind:
      return Fact::sequence(fact_of(*info.sequence.element));
    case kOptionalKind:
      return Fact::optional(fact_of(*info.optional.contained));
    case kMapKind:
      return Fact::map(dtype_of(info.map.key), dtype_of(info.map.value->tensor.type));
    default:
      return fact_of(info.tensor);
  }
}

Status* CastTypeInfoToTensorInfo(const TypeInfo* info, const TensorTypeAndShapeInfo** tensor) noexcept {
  return guarded([&] {
    const bool is_tensor = valid(info, "type_info").kind == kTensorKind || info->kind == kSparseTensorKind;
    valid(tensor, "out") = is_tensor ? &info->tensor : nullptr;
  });
}

Status* CastTypeInfoToSequenceTypeInfo(const TypeInfo* info, const SequenceTypeInfo** sequence) noexcept {
  return guarded(
      [&] { valid(sequence, "out") = valid(info, "type_info").kind == kSequenceKind ? &info->sequence : nullptr; });
}

Status* CastTypeInfoToMapTypeInfo(const TypeInfo* info, const MapTypeInfo** map) noexcept {
  return guarded([&] { valid(map, "out") = valid(info, "type_info").kind == kMapKind ? &info->map : nullptr; });
}

Status* CastTypeInfoToOptionalTypeInfo(const TypeInfo* info, const OptionalTypeInfo** optional) noexcept {
  return guarded(
      [&] { valid(optional, "out") = valid(info, "type_info").kind == kOptionalKind ? &info->optional : nullptr; });
}

Status* GetOnnxTypeFromTypeInfo(const TypeInfo* info, ValueKind* kind) noexcept {
  return guarded([&] { valid(kind, "out") = valid(info, "type_info").kind; });
}

Status* GetDenotationFromTypeInfo(const TypeInfo* info, const char** denotation, size_t* length) noexcept {
  return guarded([&] {
    const std::string& text = valid(info, "type_info").denotation;
    valid(denotation, "denotation") = text.c_str();
    valid(length, "len") = text.size();
  });
}

void ReleaseTypeInfo(TypeInfo* info) noexcept { delete info; }
// These are parts of a TypeInfo, which owns them, so releasing them does nothing.
void ReleaseMapTypeInfo(MapTypeInfo*) noexcept {}
void ReleaseSequenceTypeInfo(SequenceTypeInfo*) noexcept {}

Status* GetSequenceElementType(const SequenceTypeInfo* info, TypeInfo** element) noexcept {
  return guarded([&] { throw_status(copy_info(valid(info, "sequence_type_info").element, element)); });
}

Status* GetOptionalContainedTypeInfo(const OptionalTypeInfo* info, TypeInfo** contained) noexcept {
  return guarded([&] { throw_status(copy_info(valid(info, "optional_type_info").contained, contained)); });
}

Status* GetMapKeyType(const MapTypeInfo* info, ElementType* key) noexcept {
  return guarded([&] { valid(key, "out") = valid(info, "map_type_info").key; });
}

Status* GetMapValueType(const MapTypeInfo* info, TypeInfo** value) noexcept {
  return guarded([&] { throw_status(copy_info(valid(info, "map_type_info").value, value)); });
}

Status* CreateTensorTypeAndShapeInfo(TensorTypeAndShapeInfo** created) noexcept {
  return create(created, [] {
    auto* info = new TensorTypeAndShapeInfo;
    info->has_shape = true;
    return info;
  });
}

void ReleaseTensorTypeAndShapeInfo(TensorTypeAndShapeInfo* info) noexcept { delete info; }

Status* SetTensorElementType(TensorTypeAndShapeInfo* info, ElementType type) noexcept {
  return guarded([&] { valid(info, "info").type = type; });
}

Status* SetDimensions(TensorTypeAndShapeInfo* info, const int64_t* dims, size_t count) noexcept {
  return guarded([&] {
    require(dims || count == 0, "dim_values must not be NULL");
    valid(info, "info").set_dims({dims, dims + count});
  });
}

Status* SetSymbolicDimensions(TensorTypeAndShapeInfo* info, const char** symbols, size_t count) noexcept {
  return guarded([&] {
    TensorTypeAndShapeInfo& changed = valid(info, "info");
    require(symbols || count == 0, "dim_params must not be NULL");
    changed.symbols.clear();
    for (size_t i = 0; i < count; ++i) changed.symbols.emplace_back(symbols[i] ? symbols[i] : "");
    changed.symbols.resize(changed.dims.size());
  });
}

Status* GetTensorElementType(const TensorTypeAndShapeInfo* info, ElementType* type) noexcept {
  return guarded([&] { valid(type, "out") = valid(info, "info").type; });
}

Status* GetDimensionsCount(const TensorTypeAndShapeInfo* info, size_t* count) noexcept {
  return guarded([&] { valid(count, "out") = valid(info, "info").dims.size(); });
}

Status* GetDimensions(const TensorTypeAndShapeInfo* info, int64_t* dims, size_t count) noexcept {
  return guarded([&] {
    const std::vector<int64_t>& from = valid(info, "info").dims;
    const size_t copied = std::min(count, from.size());
    require(dims || copied == 0, "dim_values must not be NULL");
    std::copy_n(from.begin(), copied, dims);
  });
}

Status* GetSymbolicDimensions(const TensorTypeAndShapeInfo* info, const char** symbols, size_t count) noexcept {
  return guarded([&] {
    const std::vector<std::string>& from = valid(info, "info").symbols;
    const size_t copied = std::min(count, from.size());
    require(symbols || copied == 0, "dim_params must not be NULL");
    for (size_t i = 0; i < copied; ++i) symbols[i] = from[i].c_str();
  });
}

Status* GetTensorShapeElementCount(const TensorTypeAndShapeInfo* info, size_t* count) noexcept {
  return guarded([&] { valid(count, "out") = size_t(element_count(valid(info, "info").dims)); });
}

bool TensorTypeAndShape_HasShape(const TensorTypeAndShapeInfo* info) noexcept { return info && info->has_shape; }

}  // namespace linnet::ort
