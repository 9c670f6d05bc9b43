#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "external_data.h"
#include "linnet/registry.h"
#include "parse.h"
#include "run/model_graph.h"

namespace linnet {

/// What a model is made of.
struct ModelSource {
  ParsedModel parsed;
  ExternalData external;
  Limits limits;  ///< of reading it
  // Of a model that was prepared before (ModelCache):
  std::optional<LoadReport> report{};
  std::shared_ptr<PackFiles> packs{};
};

/// Builds the graph of a message and optimises it. `files`: told of the files of external data that were read.
/// Throws as load_onnx() does.
Model prepare_model(ModelSource source, ModelOptions options, const Registry& registry, ExternalFiles* files = nullptr);

}  // namespace linnet
