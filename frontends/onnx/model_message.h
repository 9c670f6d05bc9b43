#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "linnet/model.h"
#include "proto.h"

namespace linnet {

/// Constants that a message refers to as external data, in order, each from a multiple of kAlignment on.
struct ConstantParts {
  std::vector<Tensor> contents;
  std::vector<std::span<const std::byte>> parts;
  size_t bytes = 0;
};

/// A model's graph as it is after the rewrites, and what the model says of itself. Weights lie in the message, or the
/// larger ones in `constants`. Throws Error(kUnsupported) for a model whose weights Model::specialized() freed.
pb::ModelProto model_message(const Model& model, ConstantParts* constants = nullptr);

}  // namespace linnet
