#pragma once

#include <string>
#include <vector>

#include "byte_source.h"

namespace linnet {

/// The position of a tensor's values in the model's bytes. If `bytes` is 0, the values are in the tensor's message.
struct ByteRange {
  int64_t offset = 0;
  int64_t bytes = 0;
};

/// The information to parse a model without its large weights, which protobuf would copy.
struct Outline {
  /// A part of the model's bytes and its replacement.
  struct Edit {
    int64_t begin = 0, end = 0;
    std::string bytes;
  };

  /// The edits in order, without overlap. They leave the model whose initializers lack the values below.
  std::vector<Edit> edits;
  /// For each initializer of the main graph, in order, its raw_data if that is large.
  std::vector<ByteRange> initializers;
};

/// Returns the outline of a serialised ModelProto. It has no edits if the bytes are not a ModelProto.
/// Source: https://protobuf.dev/programming-guides/encoding/
Outline outline_model(const ByteSource& model);

}  // namespace linnet
