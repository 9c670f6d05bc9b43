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

/// The parts that a model is built from.
struct ModelSource {
  ParsedModel parsed;
  ExternalData external;
  Limits limits;  ///< limits for reading it
  // The following are set for a model that was prepared before (model_cache.h):
  std::optional<LoadReport> report{};
  std::shared_ptr<PackFiles> packs{};
};

/// Builds the graph of a message and optimises it. `files` receives the files of external data that were read.
/// Throws as load_onnx() does.
Model prepare_model(ModelSource source, ModelOptions options, const Registry& registry, ExternalFiles* files = nullptr);

}  // namespace linnet
