#include "tensor_reader.h"

#include "sparse_tensor.h"
#include "tensor/bool_bytes.h"
#include "tensor_data.h"
#include "value_type.h"

namespace linnet {

namespace {

bool is_external(const pb::TensorProto& proto) { return proto.data_location() == pb::TensorProto::EXTERNAL; }

}  // namespace

Tensor TensorReader::read(const pb::TensorProto& proto) {
  const auto found = known_.find(&proto);
  if (found != known_.end()) return found->second;
  return known_[&proto] = decode(proto);
}

Tensor TensorReader::read(const pb::SparseTensorProto& proto) {
  const auto found = known_.find(&proto);
  if (found != known_.end()) return found->second;
  const Shape shape = shape_from_proto(proto.dims());
  return known_[&proto] = dense_from_coordinates(decode(proto.values()), decode(proto.indices()), shape);
}

Tensor TensorReader::read_later(const pb::TensorProto& proto) {
  const ByteRange* range = deferred_ ? deferred_->find(proto) : nullptr;
  if (!range) return decode(proto);
  if (is_external(proto)) throw Error(ErrorKind::kModel, "values are stored here and in external data");
  const DType dtype = dtype_from_proto(proto.data_type());
  const Shape shape = shape_from_proto(proto.dims());
  check_raw_data(proto, size_t(range->bytes), dtype, shape);
  return deferred_->tensor(dtype, shape, *range, proto.name());
}

Tensor TensorReader::decode(const pb::TensorProto& proto) {
  const DType dtype = dtype_from_proto(proto.data_type());
  const Shape shape = shape_from_proto(proto.dims());
  return is_external(proto) ? decode_external(proto, dtype, shape) : tensor_from_message(proto, dtype, shape);
}

Tensor TensorReader::decode_external(const pb::TensorProto& proto, DType dtype, const Shape& shape) {
  if (dtype == DType::kString) throw Error(ErrorKind::kModel, "strings cannot be stored in external data");
  if (!proto.raw_data().empty()) throw Error(ErrorKind::kModel, "values are stored here and in external data");
  external_.check(proto, int64_t(dtype_bytes(dtype, shape.elements())));
  if (const Tensor shared = external_.share(proto, dtype, shape)) return normalized_bools(shared);
  if (const Tensor later = external_.read_later(proto, dtype, shape)) return later;
  Tensor tensor(dtype, shape);
  external_.read(proto, {static_cast<std::byte*>(tensor.raw()), tensor.bytes()});
  normalize_bools(tensor);
  return tensor;
}

}  // namespace linnet
