#pragma once

#include <string>
#include <vector>

#include "byte_source.h"

namespace linnet {

/// Where in the model's bytes the values of a tensor lie. No bytes: they lie in its message.
struct ByteRange {
  int64_t offset = 0;
  int64_t bytes = 0;
};

/// How to parse a model without its large weights, which protobuf would copy.
struct Outline {
  /// A part of the model's bytes and what stands for it.
  struct Edit {
    int64_t begin = 0, end = 0;
    std::string bytes;
  };

  /// In order, without overlap: what remains is the model whose initializers lack the values below.
  std::vector<Edit> edits;
  /// raw_data of each initializer of the main graph that is large, in order.
  std::vector<ByteRange> initializers;
};

/// The outline of a serialised ModelProto; without edits where the bytes are none.
/// Source: https://protobuf.dev/programming-guides/encoding/
Outline outline_model(const ByteSource& model);

}  // namespace linnet
