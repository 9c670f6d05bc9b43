#include "outline.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <climits>

#include "proto.h"
#include "source_stream.h"

namespace linnet {
namespace {

using google::protobuf::internal::WireFormatLite;

constexpr int64_t kLargeBytes = 1 << 16;
// The buffer of the stream is small because the data between two weights is short.
constexpr int kStreamBytes = 1 << 12;

/// A field that is a message, text or bytes. It consists of tag, length and payload.
struct Field {
  int number = 0;
  int64_t tag_at = 0, length_at = 0, begin = 0, end = 0;
};

std::string varint(int64_t value) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream out(&stream);
  out.WriteVarint64(uint64_t(value));
  out.Trim();
  return bytes;
}

class Outliner {
 public:
  explicit Outliner(const ByteSource& model)
      : size_(model.size()), bytes_(model, {}), stream_(&bytes_, kStreamBytes), in_(&stream_) {}

  Outline outline() {
    const bool good = each_field(
        size_, [&](const Field& field) { return field.number != pb::ModelProto::kGraphFieldNumber || graph(field); });
    return good ? std::move(outline_) : Outline();
  }

 private:
  /// Calls visit(field), which may read further. Returns false if the bytes up to `end` are not fields.
  template <class F>
  bool each_field(int64_t end, F visit) {
    while (position() < end) {
      Field field{.tag_at = position()};
      const uint32_t tag = in_.ReadTag();
      if (tag == 0) return false;
      if (WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
        if (!WireFormatLite::SkipField(&in_, tag)) return false;
        continue;
      }
      field.number = WireFormatLite::GetTagFieldNumber(tag);
      field.length_at = position();
      uint64_t bytes = 0;
      if (!in_.ReadVarint64(&bytes)) return false;
      field.begin = position();
      if (field.begin > end || bytes > uint64_t(end - field.begin)) return false;
      field.end = field.begin + int64_t(bytes);
      if (!visit(field) || !in_.Skip(int(field.end - position()))) return false;
    }
    return position() == end;
  }

  int64_t position() const { return in_.CurrentPosition(); }

  bool graph(const Field& graph) {
    return shortened(graph, [&] {
      return each_field(graph.end, [&](const Field& field) {
        return field.number != pb::GraphProto::kInitializerFieldNumber || initializer(field);
      });
    });
  }

  bool initializer(const Field& tensor) {
    Field raw;
    int found = 0;
    outline_.initializers.emplace_back();
    return shortened(tensor, [&] {
      const bool good = each_field(tensor.end, [&](const Field& field) {
        if (field.number == pb::TensorProto::kRawDataFieldNumber) raw = field, ++found;
        return true;
      });
      if (good && found == 1 && raw.end - raw.begin >= kLargeBytes) cut(raw);
      return good;
    });
  }

  void cut(const Field& raw) {
    outline_.edits.push_back({raw.tag_at, raw.end, {}});
    outline_.initializers.back() = {raw.begin, raw.end - raw.begin};
    removed_ += raw.end - raw.tag_at;
  }

  /// Calls read() for the fields of a message. If something was cut out of it, adds an edit with its new length.
  template <class F>
  bool shortened(const Field& message, F read) {
    const size_t place = outline_.edits.size();
    const int64_t before = removed_;
    if (!read()) return false;
    if (removed_ == before) return true;
    const std::string length = varint(message.end - message.begin - (removed_ - before));
    removed_ += message.begin - message.length_at - int64_t(length.size());
    outline_.edits.insert(outline_.edits.begin() + std::ptrdiff_t(place), {message.length_at, message.begin, length});
    return true;
  }

  int64_t size_;
  SourceStream bytes_;
  google::protobuf::io::CopyingInputStreamAdaptor stream_;
  google::protobuf::io::CodedInputStream in_;
  Outline outline_;
  int64_t removed_ = 0;  // bytes removed from the model so far
};

}  // namespace

Outline outline_model(const ByteSource& model) { return Outliner(model).outline(); }

}  // namespace linnet
