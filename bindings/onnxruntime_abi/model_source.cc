#include "model_source.h"

#include <algorithm>
#include <fstream>
#include <string_view>

#include "linnet/load.h"
#include "run/model_graph.h"
#include "status.h"

namespace linnet::ort {
namespace {

bool begins_as_ort(std::string_view bytes) {
  return bytes.substr(std::min<size_t>(bytes.size(), 4)).starts_with("ORTM");
}

}  // namespace

Model FileSource::load(const std::string&, const ModelOptions& options, const Registry& registry) const {
  return linnet::load(path_, options, registry);
}

bool FileSource::is_ort_format() const {
  char head[8] = {};
  std::ifstream(path_, std::ios::binary).read(head, sizeof head);
  return begins_as_ort(std::string_view(head, sizeof head));
}

bool BytesSource::is_ort_format() const {
  return begins_as_ort({reinterpret_cast<const char*>(bytes_.data()), bytes_.size()});
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
