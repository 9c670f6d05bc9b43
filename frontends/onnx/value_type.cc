#include "value_type.h"

namespace linnet {

namespace {

[[noreturn]] void throw_kind(const char* kind) {
  throw Error(ErrorKind::kUnsupported, str("is a ", kind, "; only tensors are supported here"));
}

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

}  // namespace

DType dtype_from_proto(int32_t number) {
  if (number < int32_t(DType::kFloat32)) throw Error(ErrorKind::kModel, str("element type ", number, " is none"));
  if (number > int32_t(DType::kInt2)) {
    throw Error(ErrorKind::kUnsupported, str("element type ", number, " is not known to this build"));
  }
  return DType(number);
}

Fact fact_from_proto(const pb::TypeProto& type) {
  switch (type.value_case()) {
    case pb::TypeProto::kTensorType:
      break;
    case pb::TypeProto::kSequenceType:
      throw_kind("sequence");
    case pb::TypeProto::kOptionalType:
      throw_kind("optional");
    case pb::TypeProto::kMapType:
      throw_kind("map");
    case pb::TypeProto::kSparseTensorType:
      throw_kind("sparse tensor");
    default:
      throw Error(ErrorKind::kModel, "has no type");
  }
  Fact fact(dtype_from_proto(type.tensor_type().elem_type()), std::nullopt);
  if (type.tensor_type().has_shape()) fact.dims = dims_from_proto(type.tensor_type().shape());
  return fact;
}

}  // namespace linnet
