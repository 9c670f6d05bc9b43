#include "tensor_writer.h"

#include <bit>

namespace linnet {

static_assert(std::endian::native == std::endian::little, "raw_data is little-endian");

void write_tensor(const Tensor& tensor, const std::string& name, pb::TensorProto& proto) {
  proto.set_name(name);
  proto.set_data_type(int32_t(tensor.dtype()));
  for (const int64_t dim : tensor.shape()) proto.add_dims(dim);
  if (tensor.dtype() == DType::kString) {
    for (const std::string& text : tensor.values<std::string>()) proto.add_string_data(text);
  } else {
    proto.set_raw_data(tensor.raw(), tensor.bytes());
  }
}

}  // namespace linnet
