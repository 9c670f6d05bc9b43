#pragma once

#include <memory>
#include <string>

#include "byte_source.h"
#include "linnet/model.h"
#include "linnet/registry.h"
#include "read_model.h"

namespace linnet {

/// Loads a model by way of ModelOptions::cache_dir. That folder contains
/// - secret: the key of the checksums below; without it, an attacker cannot make two models of one name,
/// - files/NAME: the entry of a model file that, like its external data, is unchanged. NAME is made of the file's
///   identity, its folder and the options,
/// - NAME/: an entry. NAME is made of the contents of the model and its external data, this build of Linnet and the
///   options. `model` is the optimised graph, `constants` its weights, `*.packs` packed weights (PackFiles).
///
/// All of them are sealed files. Throws as load_onnx() does. Errors of the cache itself are logged.
Model load_with_cache(std::unique_ptr<const ByteSource> source, Format format, const std::string& folder,
                      const ModelOptions& options, const Registry& registry);

}  // namespace linnet
