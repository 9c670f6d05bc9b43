#include "value_type.h"

#include <algorithm>

namespace linnet {

namespace {

// The nesting of containers in containers. Protobuf itself reads at most a hundred levels of messages.
constexpr int kMaxDepth = 16;

Dim dim_from_proto(const pb::TensorShapeProto::Dimension& dim) {
  if (dim.has_dim_value() && dim.dim_value() >= 0) return Dim(dim.dim_value());
  return Dim(dim.dim_param());
}

Dims dims_from_proto(const pb::TensorShapeProto& shape) {
  if (shape.dim_size() > kMaxRank) {
    throw Error(ErrorKind::kLimit, str("rank ", shape.dim_size(), " exceeds ", kMaxRank));
  }
  Dims dims;
  for (const auto& dim : shape.dim()) dims.push_back(dim_from_proto(dim));
  return dims;
}

Fact tensor_fact(const pb::TypeProto::Tensor& type) {
  Fact fact(dtype_from_proto(type.elem_type()), std::nullopt);
  if (type.has_shape()) fact.dims = dims_from_proto(type.shape());
  return fact;
}

Fact map_fact(const pb::TypeProto::Map& type) {
  const DType key = dtype_from_proto(type.key_type());
  if (!is_integer(key) && key != DType::kString) {
    throw Error(ErrorKind::kModel, str("keys of a map must be integers or strings, not ", key));
  }
  if (type.value_type().value_case() != pb::TypeProto::kTensorType) {
    throw Error(ErrorKind::kUnsupported, "maps hold tensors only");
  }
  return Fact::map(key, dtype_from_proto(type.value_type().tensor_type().elem_type()));
}

Fact fact_of_depth(const pb::TypeProto& type, int depth) {
  if (depth > kMaxDepth) throw Error(ErrorKind::kLimit, str("types nest deeper than ", kMaxDepth));
  switch (type.value_case()) {
    case pb::TypeProto::kTensorType:
      return tensor_fact(type.tensor_type());
    case pb::TypeProto::kSequenceType:
      return Fact::sequence(fact_of_depth(type.sequence_type().elem_type(), depth + 1));
    case pb::TypeProto::kOptionalType:
      return Fact::optional(fact_of_depth(type.optional_type().elem_type(), depth + 1));
    case pb::TypeProto::kMapType:
      return map_fact(type.map_type());
    case pb::TypeProto::kSparseTensorType:
      throw Error(ErrorKind::kUnsupported, "is a sparse tensor; only dense ones are supported here");
    default:
      throw Error(ErrorKind::kModel, "has no type");
  }
}

}  // namespace

DType dtype_from_proto(int32_t number) {
  if (number < int32_t(DType::kFloat32))
    throw Error(ErrorKind::kModel, str("element type ", number, " does not exist"));
  if (number > int32_t(kLastElementType)) {
    throw Error(ErrorKind::kUnsupported, str("element type ", number, " is not known to this build"));
  }
  return DType(number);
}

Fact fact_from_proto(const pb::TypeProto& type) { return fact_of_depth(type, 0); }

Fact declared_fact(const pb::TypeProto& type) {
  try {
    return fact_from_proto(type);
  } catch (const Error&) {
    return {};
  }
}

Denotation denotation_from_proto(const pb::TypeProto& type) {
  Denotation denotation{.type = type.denotation()};
  const auto& dims = type.tensor_type().shape().dim();
  const bool has_words = std::any_of(dims.begin(), dims.end(), [](const auto& dim) { return dim.has_denotation(); });
  if (!has_words || dims.size() > kMaxRank) return denotation;
  for (const auto& dim : dims) denotation.dims.push_back(dim.denotation());
  return denotation;
}

void write_denotation(const Denotation& denotation, pb::TypeProto& type) {
  if (!denotation.type.empty()) type.set_denotation(denotation.type);
  if (denotation.dims.empty() || !type.tensor_type().has_shape()) return;
  auto& dims = *type.mutable_tensor_type()->mutable_shape()->mutable_dim();
  for (size_t i = 0; i < denotation.dims.size() && int(i) < dims.size(); ++i) {
    if (!denotation.dims[i].empty()) dims[int(i)].set_denotation(denotation.dims[i]);
  }
}

void write_type(const Fact& fact, pb::TypeProto& type) {
  const auto write_element = [&](pb::TypeProto& element) {
    if (fact.element) write_type(*fact.element, element);
  };
  if (fact.dtype == DType::kSequence) return write_element(*type.mutable_sequence_type()->mutable_elem_type());
  if (fact.dtype == DType::kOptional) return write_element(*type.mutable_optional_type()->mutable_elem_type());
  if (fact.dtype == DType::kMap) {
    type.mutable_map_type()->set_key_type(int32_t(fact.key));
    return write_element(*type.mutable_map_type()->mutable_value_type());
  }
  pb::TypeProto::Tensor& tensor = *type.mutable_tensor_type();
  tensor.set_elem_type(int32_t(fact.dtype));
  if (!fact.has_rank()) return;
  pb::TensorShapeProto& shape = *tensor.mutable_shape();
  for (const Dim& dim : *fact.dims) {
    pb::TensorShapeProto::Dimension& written = *shape.add_dim();
    if (dim.known()) {
      written.set_dim_value(dim.value());
    } else {
      const std::string text = dim.text();
      if (!text.empty()) written.set_dim_param(text);
    }
  }
}

}  // namespace linnet
