#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "linnet/executor.h"
#include "linnet/fact.h"
#include "linnet/op.h"
#include "linnet/options.h"

namespace linnet {

/// An input or output of a model.
struct ValueInfo {
  std::string name;
  Fact fact;
};

/// Sizes of what a model or a plan holds.
struct MemoryReport {
  int64_t weights_bytes = 0;
  int64_t packed_bytes = 0;
  int64_t arena_bytes = 0;  ///< of the values that a run computes, outputs included
  int64_t scratch_bytes = 0;
};

/// What preparing a model took.
struct LoadReport {
  // Of the main graph before anything was optimised, functions inlined.
  int64_t nodes = 0;
  int64_t opset = 0;          ///< version of ai.onnx that most nodes are of; 0: none is of ai.onnx
  int64_t weights_bytes = 0;  ///< of the optimised graph's constants
  double optimize_ms = 0;
};

/// A loaded, optimised model: what load_onnx (linnet/onnx.h) returns. Immutable and safe to share between threads;
/// copies share everything.
class LINNET_API Model {
 public:
  const std::vector<ValueInfo>& inputs() const;
  const std::vector<ValueInfo>& outputs() const;
  const ModelOptions& options() const;
  const LoadReport& load_report() const;

  /// The model for inputs of these dtypes and shapes only, planned at once: the first run is as quick as any. Weights
  /// that kernels hold in packed form are freed, each as soon as it is packed, unless something else holds this model
  /// or an input's contents decide on shapes: where they are, save_onnx() refuses the model.
  /// Throws what run() throws for such inputs.
  Model specialized(std::span<const Tensor> inputs) &&;

  struct State;  // the engine's

 private:
  friend class Context;
  explicit Model(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;
};

/// Told of every node that runs; for profiles. Called on the thread that called run().
class LINNET_API Observer {
 public:
  using Clock = std::chrono::steady_clock;
  /// What it refers to is valid during the call.
  struct NodeEvent {
    const NodeSpec& node;
    const Kernel& kernel;
    std::span<const Tensor* const> inputs;
    std::span<const Tensor* const> outputs;
    Clock::time_point begin, end;
  };
  virtual ~Observer() = default;
  virtual void on_node(const NodeEvent& event) = 0;
};

struct ContextOptions {
  std::shared_ptr<Executor> executor;  ///< nullptr: that of the model
  std::shared_ptr<Observer> observer;  ///< nullptr: none
  Limits limits;                       ///< memory_bytes and deadline_ms
  /// Of random operators that have no seed of their own; nullopt: another one for every context.
  std::optional<uint64_t> seed;
};

/// Ends runs from outside of them, from any thread. Cancelled once, it stays so: later runs take another token.
class LINNET_API CancellationToken {
 public:
  void cancel() noexcept { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const noexcept { return cancelled_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> cancelled_{false};
};

/// Of one run.
struct RunOptions {
  /// Once cancelled, be it before the run begins, it makes run() throw Error(kCancelled) at the next node or iteration
  /// of a loop. nullptr: the run cannot be cancelled.
  std::shared_ptr<const CancellationToken> cancellation;
};

/// Runs a model. One thread at a time; make one context per thread, they share the model and its executor's threads.
class LINNET_API Context {
 public:
  explicit Context(const Model& model, const ContextOptions& options = {});
  ~Context();
  Context(Context&&) noexcept;
  Context& operator=(Context&&) noexcept;

  /// Inputs in the order of Model::inputs(). The outputs come in the order of Model::outputs(); the span is valid until
  /// the next run(). A copy of an output Tensor stays valid and as it is, whatever becomes of the context: a run writes
  /// to no memory that somebody still holds a copy of. So outputs may be the next run's inputs. After the first run
  /// with the same shapes nothing is allocated, unless sizes depend on data or outputs are held. Throws Error(kType,
  /// kShape) for inputs that do not fit; the context stays usable after any Error.
  std::span<const Tensor> run(std::span<const Tensor> inputs, const RunOptions& options = {});
  /// Inputs by name, in any order. Throws Error(kModel) for a missing or unknown name.
  std::span<const Tensor> run(const std::vector<std::pair<std::string, Tensor>>& inputs,
                              const RunOptions& options = {});

  /// Memory of the plan used last.
  MemoryReport memory() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace linnet
