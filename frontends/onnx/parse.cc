#include "parse.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <cctype>
#include <climits>
#include <string_view>

#include "file.h"
#include "linnet/error.h"
#include "loader_limits.h"

namespace linnet {

namespace {

namespace io = google::protobuf::io;

// A body adds three levels of messages (attribute, graph, node); the rest is for what a node holds.
constexpr int kMessagesPerBody = 3;
constexpr int kMessagesBesides = 40;

int recursion_limit(const Limits& limits) { return int(depth_limit(limits)) * kMessagesPerBody + kMessagesBesides; }

void check_size(int64_t bytes, const Limits& limits) {
  if (bytes == 0) throw Error(ErrorKind::kModel, "empty file, expected an ONNX model");
  if (limits.file_bytes > 0 && bytes > limits.file_bytes) {
    throw Error(ErrorKind::kLimit, str("model of ", bytes, " bytes, the limit is ", limits.file_bytes));
  }
  if (bytes > INT_MAX) {
    throw Error(ErrorKind::kLimit, str("model of ", bytes, " bytes, an ONNX file holds at most ", INT_MAX,
                                       "; larger weights belong in external data"));
  }
}

bool looks_like_text(std::string_view head) {
  return std::all_of(head.begin(), head.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return std::isprint(byte) || std::isspace(byte);
  });
}

[[noreturn]] void throw_not_a_model(std::string_view head) {
  if (head.starts_with("version https://git-lfs")) {
    throw Error(ErrorKind::kModel, "not an ONNX model but a Git LFS pointer: fetch the file with 'git lfs pull'");
  }
  if (looks_like_text(head)) throw Error(ErrorKind::kModel, "not an ONNX model: the file is text");
  throw Error(ErrorKind::kModel, "not an ONNX model, or truncated, or nested too deeply");
}

std::unique_ptr<pb::ModelProto> parse(io::ZeroCopyInputStream& stream, std::string_view head, const Limits& limits) {
  io::CodedInputStream in(&stream);
  in.SetRecursionLimit(recursion_limit(limits));
  auto model = std::make_unique<pb::ModelProto>();
  if (!model->ParseFromCodedStream(&in) || !in.ConsumedEntireMessage()) throw_not_a_model(head);
  return model;
}

// Feeds protobuf from a file, so that the file never lies in memory next to the messages.
class FileStream final : public io::CopyingInputStream {
 public:
  explicit FileStream(const File& file) : file_(file) {}

  int Read(void* buffer, int size) override {
    const size_t got = file_.read_some(static_cast<std::byte*>(buffer), size_t(size), offset_);
    offset_ += int64_t(got);
    return int(got);
  }

 private:
  const File& file_;
  int64_t offset_ = 0;
};

constexpr size_t kHeadBytes = 64;

}  // namespace

std::unique_ptr<pb::ModelProto> parse_model_file(const std::string& path, const Limits& limits) {
  const File file(path);
  check_size(file.size(), limits);
  std::string head(kHeadBytes, '\0');
  head.resize(file.read_some(reinterpret_cast<std::byte*>(head.data()), head.size(), 0));
  FileStream source(file);
  io::CopyingInputStreamAdaptor stream(&source, 1 << 18);
  return parse(stream, head, limits);
}

std::unique_ptr<pb::ModelProto> parse_model_bytes(std::span<const std::byte> bytes, const Limits& limits) {
  check_size(int64_t(bytes.size()), limits);
  const std::string_view head(reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), kHeadBytes));
  io::ArrayInputStream stream(bytes.data(), int(bytes.size()));
  return parse(stream, head, limits);
}

}  // namespace linnet
