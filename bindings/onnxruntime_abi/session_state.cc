#include <algorithm>

#include "client_memory.h"
#include "custom_op.h"
#include "devices.h"
#include "dim_overrides.h"
#include "linnet/onnx.h"
#include "load_errors.h"
#include "memory.h"
#include "session.h"
#include "status.h"

namespace linnet::ort {
namespace {

Logger session_logger(const EnvironmentState& environment, const SessionOptions& options) {
  Logger logger = environment.logger;
  if (options.log_function) logger.function = options.log_function, logger.param = options.log_param;
  if (!options.log_id.empty()) logger.id = options.log_id;
  if (options.log_severity >= 0) logger.severity = LoggingLevel(options.log_severity);
  return logger;
}

std::shared_ptr<Executor> session_executor(const EnvironmentState& environment, const SessionOptions& options) {
  if (options.own_threads) return options.threads.make_executor();
  if (environment.executor) return environment.executor;
  throw Failure(kFail,
                "When the session is not configured to use per session threadpools, the env must be created "
                "with the the CreateEnvWithGlobalThreadPools API.");
}

std::shared_ptr<Profile> session_profile(const SessionOptions& options) {
  return options.profile_prefix ? std::make_shared<Profile>(*options.profile_prefix) : nullptr;
}

/// Throws Failure unless the value begins with a number.
void check_number(const std::string& key, const std::string& value) {
  try {
    std::stoi(value);
  } catch (const std::logic_error&) {
    throw Failure(kRuntimeException, str("the entry ", key, " must be a number, got '", value, "'"));
  }
}

/// Throws Failure for entries that no session can have.
void check_options(const SessionOptions& options) {
  if (options.has_entry("session.disable_cpu_ep_fallback", "1")) {
    throw Failure(kFail,
                  "This session contains graph nodes that are assigned to the default CPU EP, but fallback to CPU "
                  "EP has been explicitly disabled by the user.");
  }
  const auto minimal = options.entries.find("optimization.minimal_build_optimizations");
  if (minimal != options.entries.end() && !minimal->second.empty() && minimal->second != "save" &&
      minimal->second != "apply") {
    throw Failure(kInvalidArgument,
                  str("Invalid value for optimization.minimal_build_optimizations: ", minimal->second));
  }
  const auto blocks = options.entries.find("session.dynamic_block_base");
  if (blocks != options.entries.end()) check_number(blocks->first, blocks->second);
  if (options.load_cancelled) throw Failure(kModelLoadCanceled, "Session initialization canceled due to user request.");
}

/// Throws Failure if the source is not of the format that the options require.
std::shared_ptr<const ModelSource> checked_source(std::shared_ptr<const ModelSource> source,
                                                  const SessionOptions& options) {
  if (options.has_entry("session.load_model_format", "ORT") && !source->is_ort_format()) {
    throw Failure(kFail, "ORT model verification failed.");
  }
  if (options.has_entry("session.load_model_format", "ONNX") && source->is_ort_format()) {
    throw Failure(kInvalidProtobuf, "Failed to load model because protobuf parsing failed.");
  }
  return source;
}

std::span<const std::byte> file_in_memory(const SessionOptions& options, const std::string& location) {
  const auto found = options.external_files.find(location);
  if (found != options.external_files.end()) return found->second;
  throw Error(ErrorKind::kIo, str("external data: ", location, " not found in the files in memory"));
}

Registry session_registry(const SessionOptions& options, const Logger& logger) {
  Registry registry = standard_registry();
  add_client_ops(options, logger, registry);
  return registry;
}

/// Returns the memory of the environment's allocator if the session shares it, or nullptr for Linnet's own.
std::pmr::memory_resource* session_memory(const Env& env, const SessionOptions& options) {
  if (!options.has_entry("session.use_env_allocators", "1")) return nullptr;
  for (Allocator* allocator : env.allocators) {
    if (allocator->info(allocator)->is_cpu()) return &memory_of(*allocator);
  }
  return nullptr;
}

int optimization_of(GraphOptimizationLevel level) { return level == kDisableAll ? 0 : level == kEnableBasic ? 1 : 2; }

}  // namespace

Interface::Interface(std::vector<ValueInfo> infos) : values(std::move(infos)) {
  for (size_t i = 0; i < values.size(); ++i) places_.emplace(values[i].name, i);
}

std::optional<size_t> Interface::find(const char* name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? std::nullopt : std::optional(found->second);
}

std::unique_ptr<Context> ContextPool::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Context> context = std::move(idle_.back());
      idle_.pop_back();
      return context;
    }
  }
  ContextOptions options;
  options.observer = observer_;
  options.memory = memory_;
  return std::make_unique<Context>(model_, options);
}

void ContextPool::give_back(std::unique_ptr<Context> context) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(context));
}

SessionState::SessionState(const Env& env, const SessionOptions& options, std::shared_ptr<const ModelSource> source)
    : environment_(env.state),
      options_((check_options(options), options)),
      logger_(session_logger(*environment_, options_)),
      executor_(session_executor(*environment_, options_)),
      profile_(session_profile(options_)),
      source_(checked_source(std::move(source), options_)),
      registry_(session_registry(options_, logger_)),
      model_(load(false)),
      inputs_(model_.inputs()),
      outputs_(model_.outputs()),
      overridable_(model_.metadata().overridable),
      memory_(session_memory(env, options_)),
      contexts_(model_, profile_, memory_) {
  fix_denoted_dims(inputs_.values, options_);
  for (Interface* side : {&inputs_, &outputs_, &overridable_}) fix_named_dims(side->values, options_);
  if (options_.has_entry("session.record_ep_graph_assignment_info", "1")) {
    assignment_ = std::make_unique<const EpAssignedSubgraph>(model_);
    assigned_ = assignment_.get();
  }
  log_options();
  choose_devices(options_, KeyValuePairs(model_.metadata().properties));
  source_ = overridable_.values.empty() ? nullptr : source_->kept();
  if (!options_.optimized_path.empty()) save_onnx(model_, options_.optimized_path);
}

// Writes the profile if the caller has not ended it.
SessionState::~SessionState() {
  if (profile_) guarded_value(false, [&] { return profile_->end(), true; });
}

void SessionState::log_options() const {
  logger_.log(kInfo, "linnet:Session",
              str("Session Options { graph_optimization_level:", int(options_.optimization),
                  " execution_mode:", int(options_.execution_mode), " intra_op_num_threads:", options_.threads.count,
                  " profile:", options_.profile_prefix.value_or(""), " entries:", options_.entries.size(), " }"));
}

ModelOptions SessionState::model_options(bool overridable) const {
  ModelOptions options;
  options.optimization = optimization_of(options_.optimization);
  options.executor = executor_;
  options.overridable_initializers = overridable;
  options.batch_invariant = options_.batch_invariant;
  options.log = [this](LogLevel, std::string_view message) {
    logger_.log(kInfo, "linnet:Session", std::string(message));
  };
  if (!options_.external_files.empty()) {
    options.external_data = [this](const std::string& location) { return file_in_memory(options_, location); };
  }
  return options;
}

Model SessionState::load(bool overridable) const {
  ModelOptions options = model_options(overridable);
  std::set<std::string> missing = options_.external;
  if (!options_.initializers.empty()) {
    options.initializers = [&](const std::string& name) {
      missing.erase(name);
      const auto given = options_.initializers.find(name);
      return given == options_.initializers.end() ? Tensor() : given->second;
    };
  }
  const auto folder = options_.entries.find("session.model_external_initializers_file_folder_path");
  try {
    Model model = source_->load(folder == options_.entries.end() ? "" : folder->second, options, registry_);
    if (missing.empty()) return model;
  } catch (const Error& error) {
    if (missing.empty()) throw load_failure(error, source_->path());
  }
  throw Failure(kFail, str("The model has no external initializer with name ", *missing.begin()));
}

ContextPool& SessionState::overriding() {
  const std::lock_guard lock(overriding_mutex_);
  if (!overriding_) overriding_ = std::make_unique<ContextPool>(load(true), profile_, memory_);
  return *overriding_;
}

std::vector<Tensor> SessionState::run(std::span<const Tensor> inputs, const RunOptions* options,
                                      std::vector<Tensor> outputs) {
  linnet::RunOptions run_options;
  if (options) run_options.cancellation = options->cancellation.load();
  const auto profile =
      options && options->profile_prefix ? std::make_shared<Profile>(*options->profile_prefix) : profile_;
  run_options.observer = profile;
  const auto begin = Observer::Clock::now();
  run_options.outputs = std::move(outputs);
  const std::span given = inputs.subspan(inputs_.values.size());
  const bool overrides = std::any_of(given.begin(), given.end(), [](const Tensor& tensor) { return bool(tensor); });
  ContextPool& pool = overrides ? overriding() : contexts_;
  std::unique_ptr<Context> context = pool.take();
  const auto computed = context->run(overrides ? inputs : inputs.first(inputs_.values.size()), run_options);
  std::vector<Tensor> results(computed.begin(), computed.end());
  pool.give_back(std::move(context));
  if (profile) profile->on_session_event("model_run", begin);
  if (profile && profile != profile_) profile->end();
  return results;
}

}  // namespace linnet::ort
