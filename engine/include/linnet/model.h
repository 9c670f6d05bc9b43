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

/// ONNX's denotations of the type of a value, such as "IMAGE", and of each of its dims, such as "DATA_BATCH"; empty
/// where the file gives no denotation.
struct Denotation {
  std::string type{};               ///< of the whole value
  std::vector<std::string> dims{};  ///< one for each dim; "" for a dim without one
};

/// An input or output of a model.
struct ValueInfo {
  std::string name;  ///< by which runs pass the value
  Fact fact;         ///< dtype and shape; open dims are symbols or unknown
  Denotation denotation{};
};

/// The metadata of a model file; fields that it does not set are empty.
struct ModelMetadata {
  std::string producer_name, producer_version, domain, description;
  std::string graph_name, graph_description;
  int64_t version = 0;                            ///< of the model, as its author counts
  std::map<std::string, std::string> properties;  ///< ONNX's metadata_props
  /// Initializers that the file also lists as inputs, so that other contents may be given. Unless the model was loaded
  /// with ModelOptions::overridable_initializers, the contents in the file are used.
  std::vector<ValueInfo> overridable;
};

/// Sizes of what a model or a plan holds.
struct MemoryReport {
  int64_t weights_bytes = 0;  ///< the weights that are in memory, not only in the model's files
  int64_t packed_bytes = 0;   ///< weights in the form that kernels read
  int64_t arena_bytes = 0;    ///< the values that a run computes, including outputs
  int64_t scratch_bytes = 0;  ///< the scratch memory of kernels, of all workers together
};

/// Measurements of loading a model.
struct LoadReport {
  /// The nodes of the main graph before optimisation, with functions inlined.
  int64_t nodes = 0;
  int64_t opset = 0;          ///< the version of ai.onnx that most nodes have; 0 if no node is of ai.onnx
  int64_t weights_bytes = 0;  ///< the constants of the optimised graph
  double optimize_ms = 0;     ///< the time of the rewrites, in milliseconds
};

/// A loaded, optimised model, as load_onnx() (linnet/onnx.h) returns it. Immutable and safe to share between threads;
/// copies share everything.
class LINNET_API Model {
 public:
  /// The inputs that every run needs, in the order of the file. References that this class returns are valid as long as
  /// a copy of the model exists.
  const std::vector<ValueInfo>& inputs() const;
  /// The outputs. Their shapes are inferred; the names of their dims, and whatever cannot be inferred, are as declared
  /// in the file.
  const std::vector<ValueInfo>& outputs() const;
  /// What the file states about itself.
  const ModelMetadata& metadata() const;
  /// The options that the model was loaded with.
  const ModelOptions& options() const;
  /// Measurements of loading the model.
  const LoadReport& load_report() const;

  /// The model for inputs of these dtypes and shapes only, planned at once, so that the first run is as fast as later
  /// ones. Weights that kernels hold in packed form are freed as soon as they are packed; save_onnx() then refuses the
  /// model. They are not freed if anything else holds this model or if shapes depend on the contents of an input.
  /// Throws what run() throws for such inputs.
  Model specialized(std::span<const Tensor> inputs) &&;

  /// This model with the contents of some initializers replaced, prepared as by load_onnx(). The keys are names of
  /// initializers in the file, including those in bodies; if several have the same name, all of them are replaced.
  /// Existing contexts keep their weights. The tensors are shared, not copied. Throws Error(kModel) for an unknown
  /// name, Error(kType, kShape) for a tensor of another dtype or shape than in the file, Error(kUnsupported) without
  /// ModelOptions::replaceable_weights.
  Model with_weights(const std::map<std::string, Tensor>& weights) const;

  struct State;  // the engine's

 private:
  friend class Context;
  explicit Model(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;
};

/// Receives an event for every node that runs, on the thread that called run(); for profiles. Implementations include
/// linnet/op.h.
class LINNET_API Observer {
 public:
  /// The clock of the times.
  using Clock = std::chrono::steady_clock;
  /// A node that has run. The references are valid during the call.
  struct NodeEvent {
    const NodeSpec& node;                    ///< its name, operator and attributes
    const Op& op;                            ///< its meaning, such as the number of multiplications
    const Kernel& kernel;                    ///< what ran; Kernel::describe() is a line about it
    std::span<const Tensor* const> inputs;   ///< empty Tensors where omitted
    std::span<const Tensor* const> outputs;  ///< empty Tensors where omitted
    Clock::time_point begin, end;
  };
  virtual ~Observer() = default;
  /// Called after each node. What it throws, run() throws.
  virtual void on_node(const NodeEvent& event) = 0;
};

/// How a context runs.
struct ContextOptions {
  std::shared_ptr<Executor> executor{};  ///< nullptr: the model's executor
  std::shared_ptr<Observer> observer{};  ///< nullptr: none
  Limits limits{};                       ///< memory_bytes and deadline_ms
  /// The seed of random operators without a seed attribute; nullopt: a different seed for every context.
  std::optional<uint64_t> seed{};
  /// The resource from which runs allocate scratch memory and the values that they compute, including outputs. It does
  /// not serve strings, containers and what kernels allocate themselves. It must outlive the context and its outputs.
  /// nullptr: the heap.
  std::pmr::memory_resource* memory = nullptr;
};

/// Cancels runs from any thread. A cancelled token stays cancelled; later runs need another one.
class LINNET_API CancellationToken {
 public:
  /// Cancels all runs that have this token, those that begin later included.
  void cancel() noexcept { cancelled_.store(true, std::memory_order_relaxed); }
  /// Whether cancel() was called.
  bool cancelled() const noexcept { return cancelled_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> cancelled_{false};
};

/// The deadline of a run without one.
inline constexpr std::chrono::steady_clock::time_point kNoDeadline = std::chrono::steady_clock::time_point::max();

/// The options of one run.
struct RunOptions {
  /// When this token is cancelled, even before the run begins, run() throws Error(kCancelled) at the next node or loop
  /// iteration. nullptr: the run cannot be cancelled.
  std::shared_ptr<const CancellationToken> cancellation{};
  /// Memory that outputs are written to, in the order of Model::outputs(). Linnet allocates memory for an empty Tensor
  /// and for outputs after the last one given. run() returns these tensors.
  /// An output may share its memory with one input, all of it, which is then overwritten. Kernels that can do so, such
  /// as those that write new rows into a cache of keys and values, overwrite it in place; otherwise it is overwritten
  /// at the end of the run.
  /// run() throws Error(kType, kShape) if a dtype or shape differs from that of the output, or if memory overlaps a
  /// part of an input or another output.
  std::vector<Tensor> outputs{};
  /// After this time, run() throws Error(kLimit) at the next node or loop iteration. Limits::deadline_ms applies as
  /// well.
  std::chrono::steady_clock::time_point deadline = kNoDeadline;
  std::shared_ptr<Observer> observer{};  ///< nullptr: the context's observer
};

/// Runs a model. Only one thread at a time may use a context. Make one per thread; they share the model and its
/// executor's threads.
class LINNET_API Context {
 public:
  /// A context of a model, which it shares. Plans nothing; see prepare().
  explicit Context(const Model& model, const ContextOptions& options = {});
  ~Context();
  Context(Context&&) noexcept;
  Context& operator=(Context&&) noexcept;

  /// Runs the model. `inputs` are in the order of Model::inputs(). With ModelOptions::overridable_initializers they are
  /// followed by those of ModelMetadata::overridable; of these, missing and empty Tensors are as in the file.
  /// Returns the outputs in the order of Model::outputs(); the span is valid until the next run(). A copy of an output
  /// Tensor stays valid and unchanged, even after the context ends, because a run does not write to memory that a copy
  /// still refers to. Outputs may therefore be inputs of the next run.
  /// After the first run with the same shapes nothing is allocated, unless sizes depend on data or outputs are still
  /// referred to. Throws Error(kType, kShape) for inputs that do not fit; the context stays usable after any Error.
  std::span<const Tensor> run(std::span<const Tensor> inputs, const RunOptions& options = {});
  /// The same with inputs and overridable initializers by name, in any order. Throws Error(kModel) for a missing or
  /// unknown name.
  std::span<const Tensor> run(const std::vector<std::pair<std::string, Tensor>>& inputs,
                              const RunOptions& options = {});

  /// Plans for inputs of these shapes, in the order of Model::inputs(), as the first run() with them would. That run
  /// then allocates only the memory of the values. Throws what run() throws for the shapes, and Error(kUnsupported) if
  /// shapes depend on the contents of an input or if an input is not a tensor.
  void prepare(std::span<const Shape> shapes);

  /// Makes `output` of each run the `input` of the next one, for example the keys and values of a decoder or the state
  /// of a recurrent network. `initial`, which is copied, is the input of the first run. For an overridable initializer,
  /// an empty `initial` means the value in the file.
  /// run() takes an empty Tensor for the input, or no name, and returns an empty one for the output. A state that each
  /// run extends by a known number of rows, along any axis, grows in place: new rows are written into memory for at
  /// least `capacity` rows, which doubles whenever it is full. Other states are passed to the next run without a copy.
  /// A run that fails leaves all states unchanged. States count towards Limits::memory_bytes.
  /// Throws
  /// - Error(kModel) for unknown names and for names that are already bound,
  /// - Error(kType, kShape) if `initial` or the output does not fit the input,
  /// - Error(kUnsupported) for strings, containers and elements smaller than a byte.
  ///
  /// run() throws Error(kShape) if the output gets a shape that the input cannot have.
  void bind_state(const std::string& output, const std::string& input, const Tensor& initial, int64_t capacity = 0);
  /// The current value of the state that is bound to `input`; valid until the next run or change. Throws Error(kModel)
  /// if none is.
  const Tensor& state(const std::string& input) const;
  /// Copies `value` into the state that is bound to `input`. Throws what bind_state() throws.
  void set_state(const std::string& input, const Tensor& value);
  /// Cuts states to their first `length` rows, for example to take back tokens. It cuts every state that has grown
  /// along one axis or that, before the first run, can grow along only one axis. Throws Error(kShape), and cuts none,
  /// if one of them is shorter or `length` is negative.
  void truncate_states(int64_t length);
  /// Sets all states to their initial values.
  void reset_states();
  /// Another context of this model with the same options and a copy of the states, which change independently from then
  /// on; for example for beam search.
  Context fork() const;
  /// The same with another observer; nullptr for none.
  Context fork(std::shared_ptr<Observer> observer) const;

  /// Memory of the plan that was used last.
  MemoryReport memory() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace linnet
