#include "attribute_value.h"

#include "tensor/held_bytes.h"
#include "value_type.h"

namespace linnet {

namespace {

using Proto = pb::AttributeProto;

std::vector<Tensor> read_tensors(const Proto& attribute, TensorReader& tensors) {
  std::vector<Tensor> values;
  for (const pb::TensorProto& tensor : attribute.tensors()) values.push_back(tensors.read(tensor));
  return values;
}

std::vector<Tensor> read_sparse_tensors(const Proto& attribute, TensorReader& tensors) {
  std::vector<Tensor> values;
  for (const pb::SparseTensorProto& tensor : attribute.sparse_tensors()) values.push_back(tensors.read(tensor));
  return values;
}

size_t bytes_of(size_t count, size_t size) { return size_t(checked_mul(int64_t(count), int64_t(size))); }

// The number of bytes that a string allocates on the heap.
size_t text_bytes(const std::string& text) {
  static const size_t kInPlace = std::string().capacity();
  return text.size() > kInPlace ? text.size() + kTextBlockBytes : 0;
}

size_t list_bytes(const google::protobuf::RepeatedPtrField<std::string>& texts) {
  size_t bytes = bytes_of(size_t(texts.size()), sizeof(std::string));
  for (const std::string& text : texts) bytes += text_bytes(text);
  return bytes;
}

// The number of bytes that a value allocates outside of itself.
size_t contents_bytes(const Proto& attribute) {
  constexpr size_t kTypeFactor = 16;  // a dim takes at least 2 bytes in a message
  switch (attribute_type(attribute)) {
    case Proto::STRING:
      return text_bytes(attribute.s());
    case Proto::FLOATS:
      return bytes_of(size_t(attribute.floats_size()), sizeof(float));
    case Proto::INTS:
      return bytes_of(size_t(attribute.ints_size()), sizeof(int64_t));
    case Proto::STRINGS:
      return list_bytes(attribute.strings());
    case Proto::TENSORS:
      return bytes_of(size_t(attribute.tensors_size()), sizeof(Tensor));
    case Proto::SPARSE_TENSORS:
      return bytes_of(size_t(attribute.sparse_tensors_size()), sizeof(Tensor));
    case Proto::TYPE_PROTO:
      return bytes_of(attribute.tp().ByteSizeLong(), kTypeFactor);
    default:
      return 0;
  }
}

}  // namespace

Proto::AttributeType attribute_type(const Proto& attribute) {
  if (attribute.has_type() && attribute.type() != Proto::UNDEFINED) return attribute.type();
  if (attribute.has_f()) return Proto::FLOAT;
  if (attribute.has_i()) return Proto::INT;
  if (attribute.has_s()) return Proto::STRING;
  if (attribute.has_t()) return Proto::TENSOR;
  if (attribute.has_g()) return Proto::GRAPH;
  if (attribute.has_tp()) return Proto::TYPE_PROTO;
  if (attribute.has_sparse_tensor()) return Proto::SPARSE_TENSOR;
  if (attribute.floats_size() > 0) return Proto::FLOATS;
  if (attribute.ints_size() > 0) return Proto::INTS;
  if (attribute.strings_size() > 0) return Proto::STRINGS;
  if (attribute.tensors_size() > 0) return Proto::TENSORS;
  throw Error(ErrorKind::kModel, "has neither type nor value");
}

size_t attribute_bytes(const Proto& attribute) {
  constexpr size_t kEntry = sizeof(Attributes::value_type) + 48;  // includes the overhead of each map entry
  constexpr size_t kCopies = 2;                                   // the node's copy and what its operator stores
  return kEntry + bytes_of(contents_bytes(attribute), kCopies);
}

Attribute attribute_value(const Proto& attribute, TensorReader& tensors) {
  switch (attribute_type(attribute)) {
    case Proto::FLOAT:
      return attribute.f();
    case Proto::INT:
      return int64_t{attribute.i()};
    case Proto::STRING:
      return attribute.s();
    case Proto::TENSOR:
      return tensors.read(attribute.t());
    case Proto::SPARSE_TENSOR:
      return tensors.read(attribute.sparse_tensor());
    case Proto::FLOATS:
      return std::vector<float>(attribute.floats().begin(), attribute.floats().end());
    case Proto::INTS:
      return std::vector<int64_t>(attribute.ints().begin(), attribute.ints().end());
    case Proto::STRINGS:
      return std::vector<std::string>(attribute.strings().begin(), attribute.strings().end());
    case Proto::TENSORS:
      return read_tensors(attribute, tensors);
    case Proto::SPARSE_TENSORS:
      return read_sparse_tensors(attribute, tensors);
    case Proto::TYPE_PROTO:
      return fact_from_proto(attribute.tp());
    default:
      throw Error(ErrorKind::kUnsupported, str("attributes of type ", int(attribute.type())));
  }
}

}  // namespace linnet
