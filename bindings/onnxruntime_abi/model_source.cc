#include "model_source.h"

#include "linnet/load.h"
#include "run/model_graph.h"
#include "status.h"

namespace linnet::ort {

Model FileSource::load(const std::string&, const ModelOptions& options, const Registry& registry) const {
  return linnet::load(path_, options, registry);
}

Model BytesSource::load(const std::string& folder, const ModelOptions& options, const Registry& registry) const {
  return load_bytes(bytes_, folder, options, registry);
}

std::shared_ptr<const ModelSource> BytesSource::kept() const {
  return std::make_shared<const BytesSource>(std::vector<std::byte>(bytes_.begin(), bytes_.end()));
}

std::shared_ptr<const ModelSource> bytes_source(const void* bytes, size_t size) {
  require(bytes, "Model data pointer is null.");
  return std::make_shared<const BytesSource>(std::span(static_cast<const std::byte*>(bytes), size));
}

Model EditedSource::load(const std::string&, const ModelOptions& options, const Registry& registry) const {
  return make_model(build(graph, opsets, std::make_shared<const Registry>(registry)), options);
}

}  // namespace linnet::ort
