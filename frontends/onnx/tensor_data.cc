#include "tensor_data.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "elements/bit_stream.h"
#include "tensor/bool_bytes.h"
#include "tensor/counted_memory.h"
#include "tensor/held_bytes.h"

namespace linnet {

namespace {

static_assert(std::endian::native == std::endian::little, "raw_data is little-endian");

void check_count(const char* field, size_t count, const char* unit, size_t needed, DType dtype, const Shape& shape) {
  if (count == needed) return;
  throw Error(ErrorKind::kModel, str(field, " holds ", count, " ", unit, ", ", dtype, shape, " needs ", needed));
}

void check_raw(size_t bytes, DType dtype, const Shape& shape) {
  if (dtype == DType::kString) throw Error(ErrorKind::kModel, "strings cannot be stored in raw_data");
  check_count("raw_data", bytes, "bytes", dtype_bytes(dtype, shape.elements()), dtype, shape);
}

Tensor from_raw(const pb::TensorProto& proto, DType dtype, const Shape& shape) {
  check_raw(proto.raw_data().size(), dtype, shape);
  Tensor tensor(dtype, shape);
  std::memcpy(tensor.raw(), proto.raw_data().data(), proto.raw_data().size());
  normalize_bools(tensor);
  return tensor;
}

// Returns a tensor whose elements are each stored as a code in one value of int32_data.
Tensor from_codes(const pb::TensorProto& proto, DType dtype, const Shape& shape) {
  check_count("int32_data", size_t(proto.int32_data_size()), "values", size_t(shape.elements()), dtype, shape);
  for (const int32_t code : proto.int32_data()) {
    if (code < 0 || code >= 64) throw Error(ErrorKind::kModel, str("int32_data holds ", code, ", no code of ", dtype));
  }
  Tensor tensor(dtype, shape);
  write_codes(tensor.raw(), 0, shape.elements(), dtype_bits(dtype),
              [&](int64_t i) { return unsigned(proto.int32_data(int(i))); });
  return tensor;
}

/// Throws Error(kLimit) if copies of the texts exceed the memory that may be allocated.
template <class Texts>
void count_texts(const Texts& texts) {
  CountedMemory counted;
  for (const std::string& text : texts) counted.add(text.size());
}

// Returns the values of a typed field, each converted to T. A complex number takes two values. For integers below one
// byte and float4e2m1, one value holds the elements of one byte.
template <class T, class Field>
Tensor from_field(const Field& field, const char* name, DType dtype, const Shape& shape) {
  const size_t needed =
      dtype == DType::kString ? size_t(shape.elements()) : dtype_bytes(dtype, shape.elements()) / sizeof(T);
  check_count(name, size_t(field.size()), "values", needed, dtype, shape);
  Tensor tensor(dtype, shape);
  if constexpr (std::is_same_v<T, std::string>) count_texts(field);
  std::transform(field.begin(), field.end(), static_cast<T*>(tensor.raw()),
                 [](const auto& value) { return static_cast<T>(value); });
  count_held(tensor);
  return tensor;
}

Tensor from_typed_field(const pb::TensorProto& proto, DType dtype, const Shape& shape) {
  switch (dtype) {
    case DType::kString:
      return from_field<std::string>(proto.string_data(), "string_data", dtype, shape);
    case DType::kFloat32:
    case DType::kComplex64:
      return from_field<float>(proto.float_data(), "float_data", dtype, shape);
    case DType::kFloat64:
    case DType::kComplex128:
      return from_field<double>(proto.double_data(), "double_data", dtype, shape);
    case DType::kInt64:
      return from_field<int64_t>(proto.int64_data(), "int64_data", dtype, shape);
    case DType::kUint32:
      return from_field<uint32_t>(proto.uint64_data(), "uint64_data", dtype, shape);
    case DType::kUint64:
      return from_field<uint64_t>(proto.uint64_data(), "uint64_data", dtype, shape);
    case DType::kBool:
      return from_field<bool>(proto.int32_data(), "int32_data", dtype, shape);
    default:
      break;
  }
  switch (dtype_bits(dtype)) {
    case 32:
      return from_field<int32_t>(proto.int32_data(), "int32_data", dtype, shape);
    case 16:
      return from_field<uint16_t>(proto.int32_data(), "int32_data", dtype, shape);
    case 6:
      return from_codes(proto, dtype, shape);
    default:
      return from_field<uint8_t>(proto.int32_data(), "int32_data", dtype, shape);
  }
}

void check_storage(const pb::TensorProto& proto, bool has_raw_data) {
  if (proto.has_segment()) throw Error(ErrorKind::kUnsupported, "tensors stored in segments");
  const int filled = int(has_raw_data) + int(proto.float_data_size() > 0) + int(proto.int32_data_size() > 0) +
                     int(proto.string_data_size() > 0) + int(proto.int64_data_size() > 0) +
                     int(proto.double_data_size() > 0) + int(proto.uint64_data_size() > 0);
  if (filled > 1) throw Error(ErrorKind::kModel, "values are stored in more than one field");
}

}  // namespace

Shape shape_from_proto(const google::protobuf::RepeatedField<int64_t>& dims) {
  return Shape(std::span<const int64_t>(dims.data(), size_t(dims.size())));
}

Tensor tensor_from_message(const pb::TensorProto& proto, DType dtype, const Shape& shape) {
  check_storage(proto, !proto.raw_data().empty());
  return proto.raw_data().empty() ? from_typed_field(proto, dtype, shape) : from_raw(proto, dtype, shape);
}

void check_raw_data(const pb::TensorProto& proto, size_t bytes, DType dtype, const Shape& shape) {
  check_storage(proto, bytes > 0);
  check_raw(bytes, dtype, shape);
}

}  // namespace linnet
