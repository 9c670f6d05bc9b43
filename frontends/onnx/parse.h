#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>

#include "counted_arena.h"
#include "linnet/options.h"
#include "linnet/tensor.h"
#include "outline.h"
#include "proto.h"
#include "tensor/counted_memory.h"

namespace linnet {

/// A model's message, and where the large initializers lie that it lacks.
struct ParsedModel {
  std::shared_ptr<const ByteSource> source;
  CountedArena arena;
  const pb::ModelProto* message = nullptr;                           ///< in the arena
  std::unordered_map<const pb::TensorProto*, ByteRange> left_out{};  ///< raw_data, in the source
  std::unordered_map<const pb::TensorProto*, Tensor> given{};        ///< initializers of another format
  std::shared_ptr<const CountedMemory> texts{};                      ///< what strings and bytes of the message hold
  bool has_states =
      false;  ///< initializers that are inputs, too, may always be given: buffers that the program changes
};

/// Parses a model. Throws Error(kIo) when it cannot be read, Error(kLimit) beyond limits.file_bytes or the format's own
/// 2 GiB, Error(kModel) when it is no ONNX model; the message says what the file looks like instead.
ParsedModel parse_model(std::unique_ptr<const ByteSource> source, const Limits& limits);

}  // namespace linnet
