// Metadata of models.
#include <limits>

#include "session.h"
#include "slots.h"
#include "status.h"

namespace linnet::ort {

struct ModelMetadata {
  linnet::ModelMetadata values;
};

namespace {

Status* get(const ModelMetadata* metadata, std::string linnet::ModelMetadata::*field, Allocator* allocator,
            char** value) noexcept {
  return guarded(
      [&] { valid(value, "value") = copy_text(allocator, valid(metadata, "model_metadata").values.*field); });
}

}  // namespace

Status* SessionGetModelMetadata(const Session* session, ModelMetadata** metadata) noexcept {
  return create(metadata, [&] { return new ModelMetadata{valid(session, "session").state->model().metadata()}; });
}

// Models that clients build have only a graph and opsets, so this metadata is empty.
Status* Graph_GetModelMetadata(const EditedGraph* graph, ModelMetadata** metadata) noexcept {
  return create(metadata, [&] {
    valid(graph, "graph");
    return new ModelMetadata;
  });
}

void ReleaseModelMetadata(ModelMetadata* metadata) noexcept { delete metadata; }

Status* ModelMetadataGetProducerName(const ModelMetadata* metadata, Allocator* allocator, char** value) noexcept {
  return get(metadata, &linnet::ModelMetadata::producer_name, allocator, value);
}
Status* ModelMetadataGetGraphName(const ModelMetadata* metadata, Allocator* allocator, char** value) noexcept {
  return get(metadata, &linnet::ModelMetadata::graph_name, allocator, value);
}
Status* ModelMetadataGetGraphDescription(const ModelMetadata* metadata, Allocator* allocator, char** value) noexcept {
  return get(metadata, &linnet::ModelMetadata::graph_description, allocator, value);
}
Status* ModelMetadataGetDomain(const ModelMetadata* metadata, Allocator* allocator, char** value) noexcept {
  return get(metadata, &linnet::ModelMetadata::domain, allocator, value);
}
Status* ModelMetadataGetDescription(const ModelMetadata* metadata, Allocator* allocator, char** value) noexcept {
  return get(metadata, &linnet::ModelMetadata::description, allocator, value);
}

// The version of a model without a version is reported as the greatest int64.
Status* ModelMetadataGetVersion(const ModelMetadata* metadata, int64_t* version) noexcept {
  return guarded([&] {
    const int64_t given = valid(metadata, "model_metadata").values.version;
    valid(version, "value") = given ? given : std::numeric_limits<int64_t>::max();
  });
}

Status* ModelMetadataLookupCustomMetadataMap(const ModelMetadata* metadata, Allocator* allocator, const char* key,
                                             char** value) noexcept {
  return guarded([&] {
    const auto& properties = valid(metadata, "model_metadata").values.properties;
    const auto found = properties.find(copied_text(key));
    valid(value, "value") = found == properties.end() ? nullptr : copy_text(allocator, found->second);
  });
}

Status* ModelMetadataGetCustomMetadataMapKeys(const ModelMetadata* metadata, Allocator* allocator, char*** keys,
                                              int64_t* count) noexcept {
  return guarded([&] {
    const auto& properties = valid(metadata, "model_metadata").values.properties;
    char**& list = valid(keys, "keys");
    list = nullptr;
    valid(count, "num_keys") = int64_t(properties.size());
    if (properties.empty()) return;
    char** next = list = allocate_array<char*>(allocator, properties.size());
    for (const auto& [key, value] : properties) *next++ = copy_text(allocator, key);
  });
}

}  // namespace linnet::ort
