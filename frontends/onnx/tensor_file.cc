#include <filesystem>

#include "file.h"
#include "linnet/onnx_tensor.h"
#include "tensor_reader.h"

namespace linnet {

NamedTensor load_tensor_proto(const std::string& path) {
  const File file(path);
  std::string bytes(size_t(file.size()), '\0');
  file.read(std::as_writable_bytes(std::span(bytes)), 0);
  pb::TensorProto proto;
  if (!proto.ParseFromString(bytes)) throw Error(ErrorKind::kModel, path + ": not a TensorProto");
  try {
    const ModelOptions options;
    return {proto.name(), TensorReader(std::filesystem::path(path).parent_path().string(), options).read(proto)};
  } catch (const Error& error) {
    throw error.with_context(path);
  }
}

}  // namespace linnet
