// Loads models from files and bytes.
#include "linnet/load.h"

#include <algorithm>

#include "callbacks.h"
#include "linnet/registry.h"
#include "model.h"
#include "options.h"
#include "registry.h"

using namespace linnet;
using namespace linnet::c_api;

namespace {

linnet_options checked(const linnet_options* given) {
  const linnet_options options = read_sized(given, offsetof(linnet_options, batch_invariant), "options");
  require(options.threads >= 0, "options->threads is below 0");
  require(options.optimization >= LINNET_OPTIMIZE_ALL && options.optimization <= LINNET_OPTIMIZE_NOTHING,
          "options->optimization is unknown; expected a LINNET_OPTIMIZE_* value");
  require(options.precision >= LINNET_PRECISION_FLOAT32 && options.precision <= LINNET_PRECISION_BFLOAT16,
          "options->precision is unknown; expected a LINNET_PRECISION_* value");
  require(options.max_file_bytes >= 0 && options.max_nodes >= 0, "a limit of options is below 0");
  require(options.max_memory_bytes >= 0 && options.deadline_ms >= 0, "a limit of options is below 0");
  return options;
}

ModelOptions model_options(const linnet_options& options) {
  ModelOptions result;
  result.optimization = LINNET_OPTIMIZE_NOTHING - options.optimization;
  if (options.executor)
    result.executor = executor_of(*options.executor);
  else
    result.executor = options.threads == 1 ? make_serial_executor() : make_thread_executor(options.threads);
  result.limits.file_bytes = options.max_file_bytes;
  result.limits.nodes = options.max_nodes;
  result.limits.memory_bytes = options.max_memory_bytes;
  result.limits.deadline_ms = options.deadline_ms;
  result.overridable_initializers = options.overridable_initializers != 0;
  result.replaceable_weights = options.replaceable_weights != 0;
  if (options.cache_dir) result.cache_dir = options.cache_dir;
  if (options.files) result.files = files_of(*options.files);
  result.fast_int4 = options.fast_int4 != 0;
  result.batch_invariant = options.batch_invariant != 0;
  if (options.plan_cache_bytes != 0) result.plan_cache_bytes = std::max<int64_t>(options.plan_cache_bytes, 0);
  if (options.precision == LINNET_PRECISION_BFLOAT16) result.precision = ProductPrecision::kBFloat16;
  return result;
}

ContextOptions context_options(const linnet_options& options, const Limits& limits) {
  ContextOptions result;
  result.limits = limits;
  if (options.seed) result.seed = *options.seed;
  return result;
}

/// The body of the functions that load a model; load() takes ModelOptions and Registry and returns the Model.
template <class Load>
linnet_status load_model(const linnet_options* given, linnet_model** model, Load&& load) {
  return create_handle(model, "model", [&] {
    const linnet_options options = checked(given);
    const ModelOptions prepared = model_options(options);
    const Registry registry =
        options.registry ? valid(options.registry, "options->registry").registry : standard_registry();
    auto memory = options.allocator ? memory_of(*options.allocator) : nullptr;
    return new linnet_model(std::make_shared<const LoadedModel>(
        load(prepared, registry), context_options(options, prepared.limits), std::move(memory)));
  });
}

}  // namespace

linnet_status linnet_model_load(const char* path, const linnet_options* options, linnet_model** model) {
  return load_model(options, model, [&](const ModelOptions& prepared, const Registry& registry) {
    require(path, "path is NULL");
    return load(path, prepared, registry);
  });
}

linnet_status linnet_model_load_bytes(const void* bytes, size_t size, const char* folder, const linnet_options* options,
                                      linnet_model** model) {
  return load_model(options, model, [&](const ModelOptions& prepared, const Registry& registry) {
    require(bytes || size == 0, "bytes is NULL");
    return load_bytes({static_cast<const std::byte*>(bytes), size}, folder ? folder : "", prepared, registry);
  });
}
