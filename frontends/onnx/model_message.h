#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "linnet/model.h"
#include "proto.h"

namespace linnet {

/// The constants that a message refers to as external data, in order, each at a multiple of kAlignment.
struct ConstantParts {
  std::vector<Tensor> contents;
  std::vector<std::span<const std::byte>> parts;
  size_t bytes = 0;
};

/// Returns a model's graph after the rewrites, and its metadata. Weights are stored in the message or, if they are
/// large, in `constants`. Throws Error(kUnsupported) for a model whose weights Model::specialized() freed.
pb::ModelProto model_message(const Model& model, ConstantParts* constants = nullptr);

}  // namespace linnet
