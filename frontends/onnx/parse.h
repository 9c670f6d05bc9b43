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

/// A model's message, and the positions of the large initializers that were left out of it.
struct ParsedModel {
  std::shared_ptr<const ByteSource> source;
  CountedArena arena;
  const pb::ModelProto* message = nullptr;                           ///< in the arena
  std::unordered_map<const pb::TensorProto*, ByteRange> left_out{};  ///< raw_data, in the source
  std::unordered_map<const pb::TensorProto*, Tensor> given{};        ///< contents that replace those of the message
  std::shared_ptr<const CountedMemory> texts{};                      ///< memory of the strings and bytes of the message
  bool has_states = false;  ///< initializers that are inputs may always be given: the program changes these buffers
};

/// Parses a model. Throws Error(kIo) if it cannot be read, Error(kLimit) beyond limits.file_bytes or the format's own 2
/// GiB, Error(kModel) if it is not an ONNX model; that message names the format that the file resembles.
ParsedModel parse_model(std::unique_ptr<const ByteSource> source, const Limits& limits);

}  // namespace linnet
