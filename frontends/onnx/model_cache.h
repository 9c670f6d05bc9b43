#pragma once

#include <memory>
#include <string>

#include "byte_source.h"
#include "linnet/model.h"
#include "linnet/registry.h"
#include "read_model.h"

namespace linnet {

/// Loads a model by way of ModelOptions::cache_dir. In that folder lie
/// - secret: what the checksums below are made with, so that nobody can make two models of one name;
/// - files/NAME: the entry of a model file that was not changed since, nor its external data, for NAME made of the
///   file's identity, the folder it was found in and the options;
/// - NAME/: an entry, for NAME made of the contents of the model and its external data, this build of Linnet and the
///   options: model, the optimised graph; constants, its weights; *.packs, packed ones (PackFiles).
/// All of them are sealed files. Throws as load_onnx() does; the cache's own errors go to the log.
Model load_with_cache(std::unique_ptr<const ByteSource> source, Format format, const std::string& folder,
                      const ModelOptions& options, const Registry& registry);

}  // namespace linnet
