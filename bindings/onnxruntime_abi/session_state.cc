#include <algorithm>

#include "custom_op.h"
#include "dim_overrides.h"
#include "linnet/onnx.h"
#include "load_errors.h"
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

/// Throws Failure for entries that make a session impossible.
void check_options(const SessionOptions& options) {
  if (options.has_entry("session.disable_cpu_ep_fallback", "1")) {
    throw Failure(kFail,
                  "This session contains graph nodes that are assigned to the default CPU EP, but fallback to CPU "
                  "EP has been explicitly disabled by the user.");
  }
  if (options.load_cancelled) throw Failure(kModelLoadCanceled, "Session initialization canceled due to user request.");
}

std::span<const std::byte> file_in_memory(const SessionOptions& options, const std::string& location) {
  const auto found = options.external_files.find(location);
  if (found != options.external_files.end()) return found->second;
  throw Error(ErrorKind::kIo, str("no file in memory has the name ", location));
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
      source_(std::move(source)),
      registry_(registry_with(options_, logger_)),
      model_(load(false)),
      inputs_(with_dims(model_.inputs(), options_)),
      outputs_(with_dims(model_.outputs(), options_)),
      overridable_(with_dims(model_.metadata().overridable, options_)),
      contexts_(model_, profile_) {
  source_ = overridable_.values.empty() ? nullptr : source_->kept();
  if (!options_.optimized_path.empty()) save_onnx(model_, options_.optimized_path);
}

ModelOptions SessionState::model_options(bool overridable) const {
  ModelOptions options;
  options.optimization = optimization_of(options_.optimization);
  options.executor = executor_;
  options.overridable_initializers = overridable;
  options.initializers = options_.initializers;
  options.log = [this](LogLevel level, std::string_view message) {
    logger_.log(level == LogLevel::kWarning ? kWarning : kInfo, "linnet", std::string(message));
  };
  if (!options_.external_files.empty()) {
    options.external_data = [this](const std::string& location) { return file_in_memory(options_, location); };
  }
  return options;
}

Model SessionState::load(bool overridable) const {
  const auto folder = options_.entries.find("session.model_external_initializers_file_folder_path");
  try {
    const std::string external = folder == options_.entries.end() ? "" : folder->second;
    return source_->load(external, model_options(overridable), registry_);
  } catch (const Error& error) {
    throw_load_failure(error, source_->path());
  }
}

ContextPool& SessionState::overriding() {
  const std::lock_guard lock(overriding_mutex_);
  if (!overriding_) overriding_ = std::make_unique<ContextPool>(load(true), profile_);
  return *overriding_;
}

std::vector<Tensor> SessionState::run(std::span<const Tensor> inputs, const RunOptions* options,
                                      std::vector<Tensor> outputs) {
  linnet::RunOptions run_options;
  if (options) run_options.cancellation = options->cancellation.load();
  run_options.outputs = std::move(outputs);
  const std::span given = inputs.subspan(inputs_.values.size());
  const bool overrides = std::any_of(given.begin(), given.end(), [](const Tensor& tensor) { return bool(tensor); });
  ContextPool& pool = overrides ? overriding() : contexts_;
  std::unique_ptr<Context> context = pool.take();
  const auto computed = context->run(overrides ? inputs : inputs.first(inputs_.values.size()), run_options);
  std::vector<Tensor> results(computed.begin(), computed.end());
  pool.give_back(std::move(context));
  return results;
}

}  // namespace linnet::ort
