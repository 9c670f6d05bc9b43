#include "registry.h"

#include "callback_op.h"
#include "options.h"

using namespace linnet;
using namespace linnet::c_api;

namespace {

linnet_operator checked(const linnet_operator* given) {
  require(given, "definition is NULL");
  const linnet_operator definition = read_sized(given, sizeof(linnet_operator), "definition");
  require(definition.name && *definition.name, "definition->name is NULL or empty");
  require(definition.since >= 1, "definition->since is below 1");
  require(definition.min_inputs <= definition.max_inputs, "definition->min_inputs is above max_inputs");
  require(definition.max_inputs <= kMaxOperatorValues && definition.output_count <= kMaxOperatorValues,
          "definition->max_inputs or output_count is too large");
  require(definition.output_count >= 1, "definition->output_count is 0");
  require(definition.infer && definition.compute, "definition->infer or compute is NULL");
  return definition;
}

}  // namespace

linnet_status linnet_registry_create(linnet_registry** registry) {
  return create_handle(registry, "registry", [] { return new linnet_registry; });
}

linnet_status linnet_registry_free(linnet_registry* registry) { return free_handle(registry, "registry"); }

linnet_status linnet_registry_load_library(linnet_registry* registry, const char* path) {
  return guarded([&] {
    linnet_registry& r = valid(registry, "registry");
    require(path, "path is NULL");
    r.registry.load_library(path);
  });
}

linnet_status linnet_registry_add(linnet_registry* registry, const linnet_operator* given) {
  return guarded([&] {
    linnet_registry& r = valid(registry, "registry");
    const linnet_operator definition = checked(given);
    const OpVersion version{.since = definition.since, .domain = definition.domain ? definition.domain : ""};
    const auto callbacks = std::make_shared<Callbacks>(definition);
    r.registry.add(definition.name, version,
                   [callbacks](const NodeSpec& node) { return std::make_unique<CallbackOp>(callbacks, node); });
    callbacks->own_user_data();
  });
}
