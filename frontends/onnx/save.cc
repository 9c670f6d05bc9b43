#include <climits>
#include <filesystem>
#include <fstream>

#include "environment/new_file.h"
#include "linnet/onnx.h"
#include "model_message.h"
#include "tensor/memory_errors.h"

namespace linnet {
namespace {

/// Writes to a pipe or a device, which must not be replaced by a file.
void write_through(const std::string& bytes, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), std::streamsize(bytes.size()));
  file.close();
  if (!file) throw Error(ErrorKind::kIo, str("cannot write '", path, "'"));
}

void write_anew(const std::string& bytes, const std::string& path) {
  NewFile file(path);
  file.write(std::as_bytes(std::span(bytes)));
  file.share();
  file.keep();
}

std::string model_bytes(const Model& model) {
  const pb::ModelProto proto = model_message(model);
  const size_t bytes = proto.ByteSizeLong();
  if (bytes > size_t{INT_MAX}) {
    throw Error(ErrorKind::kLimit, str("the model takes ", bytes, " bytes, an ONNX file holds at most ", INT_MAX));
  }
  return proto.SerializeAsString();
}

}  // namespace

std::string save_onnx_bytes(const Model& model) {
  return with_memory_errors("save the model", [&] { return model_bytes(model); });
}

void save_onnx(const Model& model, const std::string& path) {
  with_memory_errors("save the model", [&] {
    const std::string bytes = model_bytes(model);
    std::error_code error;
    const auto known = std::filesystem::canonical(path, error);  // with links resolved
    const bool other = !error && !std::filesystem::is_regular_file(known, error);
    other ? write_through(bytes, path) : write_anew(bytes, known.empty() ? path : known.string());
  });
}

}  // namespace linnet
