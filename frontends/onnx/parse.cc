#include "parse.h"

#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <climits>

#include "known_format.h"
#include "linnet/error.h"
#include "loader_limits.h"
#include "source_stream.h"

namespace linnet {

namespace {

namespace io = google::protobuf::io;

// A body adds three levels of messages (attribute, graph, node). The remainder is for the contents of a node.
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

[[noreturn]] void throw_not_a_model(const ByteSource& source) {
  const std::string known = known_format(source);
  if (!known.empty()) throw Error(ErrorKind::kModel, "not an ONNX model but " + known);
  throw Error(ErrorKind::kModel, "not an ONNX model, or truncated, or nested too deeply");
}

const pb::ModelProto* parse(const ByteSource& source, const Outline& outline, const Limits& limits,
                            const CountedArena& arena) {
  SourceStream bytes(source, outline.edits);
  io::CopyingInputStreamAdaptor stream(&bytes, 1 << 16);
  io::CodedInputStream in(&stream);
  in.SetRecursionLimit(recursion_limit(limits));
  pb::ModelProto& model = arena.message<pb::ModelProto>();
  if (!model.ParseFromCodedStream(&in) || !in.ConsumedEntireMessage()) throw_not_a_model(source);
  return &model;
}

/// Counts what strings and bytes of the message hold: at most the file without the initializers that were left out.
std::shared_ptr<const CountedMemory> count_texts(const ByteSource& source, const Outline& outline) {
  int64_t bytes = source.size();
  for (const ByteRange& range : outline.initializers) bytes -= int64_t(range.bytes);
  auto counted = std::make_shared<CountedMemory>();
  counted->add(size_t(std::max<int64_t>(0, bytes)));
  return counted;
}

}  // namespace

ParsedModel parse_model(std::unique_ptr<const ByteSource> source, const Limits& limits) {
  check_size(source->size(), limits);
  const Outline outline = outline_model(*source);
  ParsedModel model{.source = std::move(source)};
  model.texts = count_texts(*model.source, outline);
  model.message = parse(*model.source, outline, limits, model.arena);
  const auto& initializers = model.message->graph().initializer();
  if (!outline.edits.empty() && size_t(initializers.size()) != outline.initializers.size()) {
    throw Error(ErrorKind::kIo, "the model changed while it was read");
  }
  for (size_t i = 0; i < outline.initializers.size() && !outline.edits.empty(); ++i) {
    if (outline.initializers[i].bytes > 0) model.left_out[&initializers[int(i)]] = outline.initializers[i];
  }
  return model;
}

}  // namespace linnet
