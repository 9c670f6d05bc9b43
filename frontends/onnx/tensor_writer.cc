#include "tensor_writer.h"

#include <bit>

#include "tensor/alignment.h"
#include "tensor/stored_contents.h"

namespace linnet {

static_assert(std::endian::native == std::endian::little, "raw_data is little-endian");

namespace {

void write_header(const Tensor& tensor, const std::string& name, pb::TensorProto& proto) {
  proto.set_name(name);
  proto.set_data_type(int32_t(tensor.dtype()));
  for (const int64_t dim : tensor.shape()) proto.add_dims(dim);
}

void add_entry(const std::string& key, const std::string& value, pb::TensorProto& proto) {
  pb::StringStringEntryProto& entry = *proto.add_external_data();
  entry.set_key(key);
  entry.set_value(value);
}

}  // namespace

void write_tensor(const Tensor& tensor, const std::string& name, pb::TensorProto& proto) {
  write_header(tensor, name, proto);
  if (tensor.dtype() == DType::kString) {
    for (const std::string& text : tensor.values<std::string>()) proto.add_string_data(text);
  } else {
    const Tensor contents = StoredContents::borrow(tensor);
    proto.set_raw_data(contents.raw(), contents.bytes());
  }
}

void write_external_tensor(const Tensor& tensor, const std::string& name, ConstantParts& parts,
                           pb::TensorProto& proto) {
  write_header(tensor, name, proto);
  proto.set_data_location(pb::TensorProto::EXTERNAL);
  add_entry("location", "constants", proto);
  add_entry("offset", str(parts.bytes), proto);
  add_entry("length", str(tensor.bytes()), proto);
  const Tensor& contents = parts.contents.emplace_back(StoredContents::borrow(tensor));
  parts.parts.emplace_back(static_cast<const std::byte*>(contents.raw()), contents.bytes());
  parts.bytes += aligned(tensor.bytes());
}

}  // namespace linnet
