#include <climits>
#include <fstream>

#include "linnet/onnx.h"
#include "model_message.h"

namespace linnet {

std::string save_onnx_bytes(const Model& model) {
  const pb::ModelProto proto = model_message(model);
  const size_t bytes = proto.ByteSizeLong();
  if (bytes > size_t{INT_MAX}) {
    throw Error(ErrorKind::kLimit, str("the model takes ", bytes, " bytes, an ONNX file holds at most ", INT_MAX));
  }
  return proto.SerializeAsString();
}

void save_onnx(const Model& model, const std::string& path) {
  const std::string bytes = save_onnx_bytes(model);
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), std::streamsize(bytes.size()));
  file.close();
  if (!file) throw Error(ErrorKind::kIo, str("cannot write '", path, "'"));
}

}  // namespace linnet
