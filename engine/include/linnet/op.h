#pragma once

#include <compare>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "linnet/executor.h"
#include "linnet/fact.h"
#include "linnet/node_spec.h"
#include "linnet/options.h"

namespace linnet {

class Prefix;  // linnet/prefix.h

/// State that a kernel keeps between the runs of one context, for example the runners of control-flow bodies.
class LINNET_API KernelState {
 public:
  virtual ~KernelState() = default;
};

/// The interface through which a running kernel reads inputs, writes outputs and gets threads and scratch memory.
class LINNET_API KernelContext {
 public:
  virtual ~KernelContext() = default;
  /// Input i; an empty tensor if it is omitted.
  virtual const Tensor& input(int i) const = 0;
  /// Output i in planned memory. Only for outputs whose fact infer() made concrete.
  virtual Tensor& output(int i) = 0;
  /// Allocates output i, uninitialised. Only for outputs of which infer() left a dim open.
  virtual Tensor& allocate_output(int i, const Shape& shape) = 0;
  /// Makes output i refer to memory that the kernel's state keeps alive until its next run. Only for outputs of which
  /// infer() left a dim open, or if Kernel::provides_outputs().
  virtual void set_output(int i, const Tensor& value) = 0;
  /// Kernel::scratch_bytes() bytes for this worker, aligned to 64 bytes.
  virtual std::byte* scratch(int worker = 0) = 0;
  /// The state that Kernel::make_state() returned for this context.
  virtual KernelState* state() = 0;
  /// The threads of the run.
  virtual Executor& executor() = 0;
  /// Throws Error(kCancelled) if the run was cancelled, Error(kLimit) if it is past its deadline. Kernels that may run
  /// for long call it from time to time. Any thread may call it.
  virtual void check() const = 0;
  /// Throws Error(kLimit) if a run may not use that many bytes. For kernels whose memory depends on data.
  virtual void check_memory(size_t bytes) const = 0;
  /// A seed for random numbers: the next of the series that ContextOptions::seed begins, or an unpredictable one.
  virtual uint64_t draw_seed() = 0;
};

/// A node compiled for concrete dtypes, shapes and constant inputs. Immutable; several threads may run it at once.
class LINNET_API Kernel {
 public:
  virtual ~Kernel() = default;
  /// Computes all elements of all outputs from the inputs. Throws Error for what only the data shows to be wrong.
  virtual void run(KernelContext& context) const = 0;

  /// The bytes of scratch memory that each worker needs.
  virtual size_t scratch_bytes() const { return 0; }
  /// The input whose memory output i may overwrite if that input is not read later; otherwise -1. Both must have the
  /// same size in bytes. No other input of the node is then in that memory.
  virtual int in_place(int /*output*/) const { return -1; }
  /// The input whose bytes are output i, unchanged; otherwise -1. The kernel does not run if all its outputs are such
  /// views.
  virtual int view(int /*output*/) const { return -1; }
  /// False if run() does not read input i: a constant of which only the packed form is needed.
  virtual bool reads(int /*input*/) const { return true; }
  /// Whether all outputs come from set_output(); then none has planned memory.
  virtual bool provides_outputs() const { return false; }
  /// The state for a new context, which KernelContext::state() returns; nullptr if the kernel has no state.
  virtual std::unique_ptr<KernelState> make_state() const { return nullptr; }
  /// The bytes that make_state() allocates for every context, except those that the run of a body accounts for.
  virtual size_t state_bytes() const { return 0; }
  /// The bytes that the kernel holds for its shapes in addition to packed constants: tables. They count towards
  /// ModelOptions::plan_cache_bytes.
  virtual size_t bytes() const { return 0; }
  /// One line on what was chosen and why: "indirect GEMM 12x32, avx512".
  virtual std::string describe() const { return {}; }
};

/// A kernel that a plan owns.
using KernelPtr = std::unique_ptr<const Kernel>;

/// The form in which a kernel keeps a constant: its name, and the numbers that it depends on besides the constant. One
/// constant in two equal forms has the same bytes.
struct PackedForm {
  std::string name;                ///< of the layout, unique to the kernels that use it
  std::vector<int64_t> numbers{};  ///< what the layout depends on, such as the sizes of blocks

  /// Orders and compares by name, then by numbers.
  auto operator<=>(const PackedForm&) const = default;
};

/// The facts and resources that are available when a node is compiled.
class LINNET_API CompileInput {
 public:
  /// For the engine, and for tests that compile a kernel. The facts must outlive this object.
  CompileInput(std::span<const Fact> inputs, std::span<const Fact> outputs) : inputs_(inputs), outputs_(outputs) {}
  virtual ~CompileInput() = default;

  /// The numbers of inputs and outputs as written, including omitted ones before the last.
  int num_inputs() const { return int(inputs_.size()); }
  int num_outputs() const { return int(outputs_.size()); }
  /// Whether input i is given, that is, not omitted.
  bool has(int i) const { return fact(i).present(); }
  /// The fact of input i; not present() if the input is omitted or i is past the end.
  const Fact& fact(int i) const { return at(inputs_, i); }
  /// Dtype, shape and rank of input i, which must be given.
  DType dtype(int i) const { return fact(i).dtype; }
  Shape shape(int i) const { return fact(i).shape(); }
  int rank(int i) const { return fact(i).rank(); }
  /// The value of input i if it is constant, otherwise nullptr. Its data may be freed after compile(). A kernel whose
  /// run() reads it other than as an input therefore stores a copy of the Tensor.
  const Tensor* constant(int i) const { return has(i) && fact(i).constant ? &fact(i).constant : nullptr; }
  /// The same for output i. Its shape is known unless infer() left a dim open.
  const Fact& output_fact(int i) const { return at(outputs_, i); }
  bool has_output(int i) const { return output_fact(i).present(); }
  DType output_dtype(int i) const { return output_fact(i).dtype; }
  Shape output_shape(int i) const { return output_fact(i).shape(); }

  /// The instructions that the kernel may use.
  virtual Isa isa() const = 0;
  /// The threads to pack with and to divide work for: ModelOptions::executor.
  virtual Executor& executor() const = 0;

  /// Data derived from a constant (packed weights), made once per model and shared by all its plans: two calls with the
  /// same source and form return the same tensor.
  virtual Tensor packed(const Tensor& source, const PackedForm& form, const std::function<Tensor()>& make) const = 0;
  /// An uninitialised tensor of numbers for make() to fill. It is in memory of weights freed before, if there is
  /// enough.
  virtual Tensor packed_memory(DType dtype, const Shape& shape) const = 0;

 private:
  static const Fact& at(std::span<const Fact> facts, int i);

  std::span<const Fact> inputs_;
  std::span<const Fact> outputs_;
};

/// The dtype in which an operator computes. If it differs from that of the inputs, Casts are inserted around the node.
/// Between adjacent such nodes values are not rounded to their declared dtype.
enum class Precision {
  kFloat32,  ///< float16 and bfloat16 are computed as float32
  kFloat64,  ///< all floats of 16 bits or more are computed as float64
  kAny,      ///< moves elements, or reads their shape only: accepts any dtype
  kAsGiven,  ///< the dtypes of its inputs, because they affect the result
};

/// The values of a node that has run. Omitted ones are empty tensors.
struct LINNET_API NodeValues {
  std::span<const Tensor*const> inputs, outputs;  ///< in the order of the node, valid as long as this object

  /// Whether input or output i is given, and its value if it is.
  bool has(int i) const { return i < int(inputs.size()) && *inputs[size_t(i)]; }
  const Tensor& in(int i) const { return *inputs[size_t(i)]; }
  bool has_output(int i) const { return i < int(outputs.size()) && *outputs[size_t(i)]; }
  const Tensor& out(int i) const { return *outputs[size_t(i)]; }
  /// The bytes of all values. A value that several inputs read counts once; strings and containers count 0.
  int64_t bytes() const;
  /// The bytes of one value.
  static int64_t bytes(const Tensor& value);
};

/// The meaning of a node: its attributes, its rule for types and shapes, its compilation, and what rewrites and
/// profiles query. Immutable.
/// The constructor checks attributes; infer() checks types and shapes. Both throw Error without the name of the node;
/// the engine adds "Conv 'name' (opset 14): ".
class LINNET_API Op {
 public:
  virtual ~Op() = default;

  /// Infers the facts of the outputs from those of the inputs; omitted inputs are not present(). Dims that are not yet
  /// known stay open. The result must be exact if all input facts are concrete, except for dims that depend on data.
  virtual std::vector<Fact> infer(std::span<const Fact> in) const = 0;

  /// Makes a kernel for concrete input facts; `in` also contains what infer() returned for them.
  virtual KernelPtr compile(const CompileInput& in) const = 0;

  /// The inputs whose values infer() needs, not only their shapes, such as the shape of Reshape. The node is planned
  /// once they are known.
  virtual std::vector<int> value_inputs() const { return {}; }

  /// Whether the outputs consist only of elements of this input, moved, repeated or left out. Such inputs may have any
  /// dtype of one byte or more: in quantised models the node moves bytes instead of floats.
  virtual bool moves(int /*input*/) const { return false; }

  /// The precision for inputs of these dtypes. Unless it is kFloat64, float32 and float64 are computed in their own
  /// dtype. If it is kFloat32 or kFloat64, infer() must accept float32 or float64 instead of float16 and bfloat16, and
  /// compile() never sees these as inputs. It is not called for nodes with bodies or containers, which are kAsGiven.
  /// The default is kAny for operators that move elements, otherwise kFloat32.
  virtual Precision computes_in(std::span<const Fact> in) const;

  /// Whether the operator takes sequences, optionals or maps. The engine rejects them for all other operators.
  virtual bool accepts_containers() const { return false; }

  /// Whether the output is a larger form of constants, as that of DequantizeLinear. Such nodes are folded whatever
  /// their size, but only once no rewrite matches the smaller form.
  virtual bool widens_constants() const { return false; }

  /// False for operators whose results must not be shared or precomputed, such as random numbers.
  virtual bool deterministic() const { return true; }

  /// Whether each element of an output depends only on the elements of the inputs at the same place, after NumPy's
  /// broadcasting. Transposes may then be exchanged with the node.
  virtual bool is_elementwise() const { return false; }

  /// For operators that are is_elementwise(): the integer that the output contains where the inputs contain the given
  /// ones, whatever the sizes of a run. Booleans are 0 and 1. An argument is undetermined if nothing is known about it
  /// or the input is omitted; the result is undetermined if nothing follows. The engine calls it for each element of
  /// small int32, int64 and bool outputs, to infer shapes that a model computes. It checks the output's dtype itself,
  /// so the rule computes as if integers had no limits. Example for an operator that adds: return inputs[0] +
  /// inputs[1].
  virtual Dim element(std::span<const Dim> /*inputs*/) const { return {}; }

  /// Like element(), but for all elements of output 0, for operators that element() cannot describe. `out` is what
  /// infer() returned for that output; elements_of() returns the elements of the inputs. nullopt or undetermined
  /// elements mean unknown. Operators that only move elements (see moves()) need no rule: if all other inputs are
  /// constant, their own kernel moves the known elements.
  virtual std::optional<Dims> contents(std::span<const Fact> /*in*/, const Fact& /*out*/) const { return std::nullopt; }

  /// Makes the node run on values of which only the first rows are in use (see Prefix), where a state of the model has
  /// memory for more rows than it has. Returns whether it did. By default, operators that are is_elementwise() run on
  /// all rows. All others run on copies of the rows in use and are compiled for each number of rows.
  virtual bool prefix(Prefix& prefix) const;

  /// The number of multiplications whose results are added up, by the definition of the operator, in convolutions,
  /// matrix products, attention and recurrent cells; 0 for other operators. Profiles compare the node's time with that
  /// of as many multiplications on this machine, in the dtype of input 0.
  virtual int64_t multiply_adds(const NodeValues& /*values*/) const { return 0; }

  /// The bytes that the operator reads and writes, by its definition. They are fewer than those of all values if it
  /// reads or writes only a part of one. Profiles compare the node's time with that of moving as many bytes.
  virtual int64_t bytes_moved(const NodeValues& values) const { return values.bytes(); }
};

}  // namespace linnet
