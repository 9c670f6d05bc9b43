#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "abi.h"
#include "assignment.h"
#include "environment.h"
#include "linnet/model.h"
#include "linnet/registry.h"
#include "model_source.h"
#include "profile.h"
#include "run_options.h"
#include "session_options.h"
#include "value.h"

namespace linnet::ort {

/// Inputs or outputs of a model, which can be found by name.
struct Interface {
  explicit Interface(std::vector<ValueInfo> infos);

  std::optional<size_t> find(const char* name) const;

  std::vector<ValueInfo> values;

 private:
  std::unordered_map<std::string, size_t> places_;
};

/// Contexts of one model, as many as there are runs at the same time.
class ContextPool {
 public:
  /// memory: of values; nullptr: the heap.
  ContextPool(const Model& model, std::shared_ptr<Observer> observer, std::pmr::memory_resource* memory = nullptr)
      : model_(model), observer_(std::move(observer)), memory_(memory) {}

  std::unique_ptr<Context> take();
  void give_back(std::unique_ptr<Context> context);

 private:
  const Model model_;
  const std::shared_ptr<Observer> observer_;
  std::pmr::memory_resource* const memory_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Context>> idle_;
};

/// A model that is loaded with the options of a session. It is thread-safe.
class SessionState {
 public:
  SessionState(const Env& env, const SessionOptions& options, std::shared_ptr<const ModelSource> source);
  ~SessionState();
  SessionState(const SessionState&) = delete;

  const Interface& inputs() const { return inputs_; }
  const Interface& outputs() const { return outputs_; }
  const Interface& overridable() const { return overridable_; }
  const Model& model() const { return model_; }
  const Logger& logger() const { return logger_; }
  const SessionOptions& options() const { return options_; }
  Profile* profile() const { return profile_.get(); }
  Executor& executor() const { return *executor_; }
  /// Returns one subgraph, which lives as long as this object, for sessions with
  /// session.record_ep_graph_assignment_info.
  const EpAssignedSubgraph* const* assignment() const { return &assigned_; }

  /// Runs the model. inputs: values by index of inputs, then of overridable initializers; empty ones of these keep
  /// their value in the file. outputs: memory that outputs are written to, by index. Throws Failure.
  std::vector<Tensor> run(std::span<const Tensor> inputs, const RunOptions* options, std::vector<Tensor> outputs);

 private:
  ContextPool& overriding();
  void log_options() const;
  ModelOptions model_options(bool overridable) const;
  Model load(bool overridable) const;

  const std::shared_ptr<EnvironmentState> environment_;
  SessionOptions options_;
  const Logger logger_;
  const std::shared_ptr<Executor> executor_;
  const std::shared_ptr<Profile> profile_;
  std::shared_ptr<const ModelSource> source_;  ///< set if another model may be made from it
  Registry registry_;
  Model model_;
  Interface inputs_, outputs_, overridable_;
  std::pmr::memory_resource* const memory_;
  ContextPool contexts_;
  std::unique_ptr<const EpAssignedSubgraph> assignment_;
  const EpAssignedSubgraph* assigned_ = nullptr;
  std::mutex overriding_mutex_;
  std::unique_ptr<ContextPool> overriding_;  ///< of the model whose overridable initializers are inputs
};

/// The handle. Runs that RunAsync() started share the state. Releasing the session waits for them.
struct Session {
  std::shared_ptr<SessionState> state;
  std::mutex mutex{};
  std::condition_variable changed{};
  int asynchronous_runs = 0;
  std::unique_ptr<EditedSource> editing{};  ///< of a session that a client extends
  const Env* environment = nullptr;         ///< of the same
};

}  // namespace linnet::ort
