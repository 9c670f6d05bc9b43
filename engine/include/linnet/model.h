#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <memory_resource>
#include <mutex>  // std::chrono::steady_clock without the calendars and streams of <chrono>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "linnet/executor.h"
#include "linnet/fact.h"
#include "linnet/options.h"

namespace linnet {

class Kernel;
class Op;
struct NodeSpec;

/// ONNX's words for what a value is, as "IMAGE", and for each of its dims, as "DATA_BATCH"; empty where there are none.
struct Denotation {
  std::string type{};
  std::vector<std::string> dims{};
};

/// An input or output of a model.
struct ValueInfo {
  std::string name;
  Fact fact;
  Denotation denotation{};
};

/// What a model says of itself; empty where it does not.
struct ModelMetadata {
  std::string producer_name, producer_version, domain, description;
  std::string graph_name, graph_description;
  int64_t version = 0;
  std::map<std::string, std::string> properties;  ///< ONNX's metadata_props
  /// Initializers that the file lists as inputs, too, so that other contents may be given: those of the file hold
  /// unless the model was loaded with ModelOptions::overridable_initializers.
  std::vector<ValueInfo> overridable;
};

/// Sizes of what a model or a plan holds.
struct MemoryReport {
  int64_t weights_bytes = 0;  ///< of those that lie in memory, not in the model's files alone
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
  /// Shapes are inferred; the names of their dims, and what cannot be inferred, are those that the file declares.
  const std::vector<ValueInfo>& outputs() const;
  const ModelMetadata& metadata() const;
  const ModelOptions& options() const;
  const LoadReport& load_report() const;

  /// The model for inputs of these dtypes and shapes only, planned at once: the first run is as quick as any. Weights
  /// that kernels hold in packed form are freed, each as soon as it is packed, unless something else holds this model
  /// or an input's contents decide on shapes: where they are, save_onnx() refuses the model.
  /// Throws what run() throws for such inputs.
  Model specialized(std::span<const Tensor> inputs) &&;

  /// This model with the contents of some initializers replaced, by their names in the file; prepared as load_onnx()
  /// would. Those of bodies count, too: where several have one name, all of them are replaced. Contexts that were made
  /// before keep their weights. The tensors are kept, not copied.
  /// Throws Error(kModel) for an unknown name, Error(kType, kShape) for a tensor of another dtype or shape than that
  /// in the file, Error(kUnsupported) without ModelOptions::replaceable_weights.
  Model with_weights(const std::map<std::string, Tensor>& weights) const;

  struct State;  // the engine's

 private:
  friend class Context;
  explicit Model(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;
};

/// Told of every node that runs; for profiles. Called on the thread that called run(). Observers include linnet/op.h.
class LINNET_API Observer {
 public:
  using Clock = std::chrono::steady_clock;
  /// What it refers to is valid during the call.
  struct NodeEvent {
    const NodeSpec& node;
    const Op& op;
    const Kernel& kernel;
    std::span<const Tensor* const> inputs;
    std::span<const Tensor* const> outputs;
    Clock::time_point begin, end;
  };
  virtual ~Observer() = default;
  virtual void on_node(const NodeEvent& event) = 0;
};

struct ContextOptions {
  std::shared_ptr<Executor> executor{};  ///< nullptr: that of the model
  std::shared_ptr<Observer> observer{};  ///< nullptr: none
  Limits limits{};                       ///< memory_bytes and deadline_ms
  /// Of random operators that have no seed of their own; nullopt: another one for every context.
  std::optional<uint64_t> seed{};
  /// What the memory of the values that runs compute, outputs included, and of scratch is taken from, but for strings,
  /// containers and what kernels take for themselves; it outlives the context and its outputs. nullptr: the heap.
  std::pmr::memory_resource* memory = nullptr;
};

/// Ends runs from outside of them, from any thread. Cancelled once, it stays so: later runs take another token.
class LINNET_API CancellationToken {
 public:
  void cancel() noexcept { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const noexcept { return cancelled_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> cancelled_{false};
};

inline constexpr std::chrono::steady_clock::time_point kNoDeadline = std::chrono::steady_clock::time_point::max();

/// Of one run.
struct RunOptions {
  /// Once cancelled, be it before the run begins, it makes run() throw Error(kCancelled) at the next node or iteration
  /// of a loop. nullptr: the run cannot be cancelled.
  std::shared_ptr<const CancellationToken> cancellation{};
  /// Memory that outputs are written to, in the order of Model::outputs(); Linnet takes its own for those behind the
  /// last and for an empty Tensor. run() returns these tensors. The memory may be
  /// that of one input, all of it, which then is overwritten: in place where a kernel can, as those do that write new
  /// rows into a cache of keys and values, else when the run ends. Throws Error(kType, kShape) where dtype or shape are
  /// not those of the output, or memory overlaps a part of an input or another output.
  std::vector<Tensor> outputs{};
  /// Past it, run() throws Error(kLimit) at the next node or iteration of a loop; Limits::deadline_ms holds besides.
  std::chrono::steady_clock::time_point deadline = kNoDeadline;
  std::shared_ptr<Observer> observer{};  ///< nullptr: that of the context
};

/// Runs a model. One thread at a time; make one context per thread, they share the model and its executor's threads.
class LINNET_API Context {
 public:
  explicit Context(const Model& model, const ContextOptions& options = {});
  ~Context();
  Context(Context&&) noexcept;
  Context& operator=(Context&&) noexcept;

  /// Inputs in the order of Model::inputs(), then, with ModelOptions::overridable_initializers, of
  /// ModelMetadata::overridable: of those, empty Tensors and the ones behind the last are as in the file. The outputs
  /// come in the order of Model::outputs(); the span is valid until the next run(). A copy of an output Tensor stays
  /// valid and as it is, whatever becomes of the context: a run writes to no memory that somebody still holds a copy
  /// of. So outputs may be the next run's inputs. After the first run with the same shapes nothing is allocated, unless
  /// sizes depend on data or outputs are held. Throws Error(kType, kShape) for inputs that do not fit; the context
  /// stays usable after any Error.
  std::span<const Tensor> run(std::span<const Tensor> inputs, const RunOptions& options = {});
  /// Inputs and overridable initializers by name, in any order. Throws Error(kModel) for a missing or unknown name.
  std::span<const Tensor> run(const std::vector<std::pair<std::string, Tensor>>& inputs,
                              const RunOptions& options = {});

  /// Plans for inputs of these shapes, in the order of Model::inputs(), as the first run() with such would: what that
  /// allocates besides is the memory of the values. Throws what run() throws for the shapes, and Error(kUnsupported)
  /// where the contents of an input decide on shapes, or an input is no tensor.
  void prepare(std::span<const Shape> shapes);

  /// From now on `output` of a run is `input` of the next one, `initial` (which is copied) that of the first: keys and
  /// values of a decoder, the state of a recurrent network. An overridable initializer begins with the value in the
  /// file where `initial` is empty. run() takes an empty Tensor for the input, or no name, and
  /// gives an empty one for the output. A state that each run makes longer by a known number of rows, along any axis,
  /// grows in place: new rows are written into memory that doubles whenever it is full, at least for `capacity` rows.
  /// Others are handed over without a copy. A run that fails leaves all states as they are. Their bytes count against
  /// Limits::memory_bytes. Throws Error(kModel) for unknown names and those bound before, Error(kType, kShape) where
  /// `initial` or the output does not fit the input, Error(kUnsupported) for strings, containers and elements of less
  /// than a byte. run() throws Error(kShape) where the output has come to have a shape that the input has not.
  void bind_state(const std::string& output, const std::string& input, const Tensor& initial, int64_t capacity = 0);
  /// What is bound to that input; valid until the next run or change. Throws Error(kModel) where nothing is.
  const Tensor& state(const std::string& input) const;
  /// Copies another value into a state. Throws what bind_state() does.
  void set_state(const std::string& input, const Tensor& value);
  /// Cuts all states that have grown along one axis, or before a run can along no other, to their first `length` rows,
  /// as where tokens are taken back. Throws Error(kShape), and cuts none, where one is shorter or the length negative.
  void truncate_states(int64_t length);
  /// Back to the initial values.
  void reset_states();
  /// Another context of this model with the same options and states, which go their own ways from here: for beams.
  Context fork() const;
  /// The same with another observer, nullptr for none.
  Context fork(std::shared_ptr<Observer> observer) const;

  /// Memory of the plan used last.
  MemoryReport memory() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace linnet
