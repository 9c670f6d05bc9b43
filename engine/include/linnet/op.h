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

/// State that a kernel keeps between runs of one context: the runners of control-flow bodies, say.
class LINNET_API KernelState {
 public:
  virtual ~KernelState() = default;
};

/// What a kernel sees while it runs.
class LINNET_API KernelContext {
 public:
  virtual ~KernelContext() = default;
  /// Input i; an omitted one is an empty tensor.
  virtual const Tensor& input(int i) const = 0;
  /// Output i in planned memory: only where infer() gave a concrete fact.
  virtual Tensor& output(int i) = 0;
  /// Allocates output i: only where infer() left a dim open. Contents are uninitialised.
  virtual Tensor& allocate_output(int i, const Shape& shape) = 0;
  /// Lets output i refer to memory that the kernel's state keeps alive until its next run:
  /// only where infer() left a dim open or Kernel::provides_outputs().
  virtual void set_output(int i, const Tensor& value) = 0;
  /// Kernel::scratch_bytes() bytes for this worker, aligned to 64.
  virtual std::byte* scratch(int worker = 0) = 0;
  /// What Kernel::make_state() returned for this context.
  virtual KernelState* state() = 0;
  virtual Executor& executor() = 0;
  /// For kernels that may run for long, now and then: throws Error(kCancelled) once the run is cancelled, Error(kLimit)
  /// past its deadline. Any thread may call it.
  virtual void check() const = 0;
  /// For kernels whose memory depends on data: throws Error(kLimit) where a run may not use so many bytes.
  virtual void check_memory(size_t bytes) const = 0;
  /// A seed for random numbers: the next of the series that ContextOptions::seed begins, or one that nobody foresees.
  virtual uint64_t draw_seed() = 0;
};

/// A node compiled for concrete dtypes, shapes and constant inputs. Immutable; many threads may run it at once.
class LINNET_API Kernel {
 public:
  virtual ~Kernel() = default;
  virtual void run(KernelContext& context) const = 0;

  /// Scratch memory that each worker needs.
  virtual size_t scratch_bytes() const { return 0; }
  /// The input over whose memory output i may be written when nobody reads that input later; -1: none.
  /// Sizes in bytes must be equal. No other input of the node then lies in that memory.
  virtual int in_place(int /*output*/) const { return -1; }
  /// The input whose bytes output i is: then the kernel does not run where all its outputs are such views. -1: none.
  virtual int view(int /*output*/) const { return -1; }
  /// False where run() does not read input i, a constant whose packed form is all that it needs.
  virtual bool reads(int /*input*/) const { return true; }
  /// All outputs come from set_output: none is planned.
  virtual bool provides_outputs() const { return false; }
  virtual std::unique_ptr<KernelState> make_state() const { return nullptr; }
  /// Memory that make_state() allocates for every context and that no run of a body accounts for.
  virtual size_t state_bytes() const { return 0; }
  /// Memory that the kernel holds for its shapes besides packed constants: tables. ModelOptions::plan_cache_bytes
  /// counts it.
  virtual size_t bytes() const { return 0; }
  /// One line on what was chosen and why: "indirect GEMM 12x32, avx512".
  virtual std::string describe() const { return {}; }
};

using KernelPtr = std::unique_ptr<const Kernel>;

/// The form that a kernel keeps a constant in: its name and the numbers that it depends on besides the constant. Equal
/// forms of one constant are the same bytes.
struct PackedForm {
  std::string name;
  std::vector<int64_t> numbers{};

  auto operator<=>(const PackedForm&) const = default;
};

/// What compile() knows.
class LINNET_API CompileInput {
 public:
  CompileInput(std::span<const Fact> inputs, std::span<const Fact> outputs) : inputs_(inputs), outputs_(outputs) {}
  virtual ~CompileInput() = default;

  int num_inputs() const { return int(inputs_.size()); }
  int num_outputs() const { return int(outputs_.size()); }
  /// True when input i is given (not omitted).
  bool has(int i) const { return fact(i).present(); }
  /// Facts that are not present() where a value is omitted or i lies past the end.
  const Fact& fact(int i) const { return at(inputs_, i); }
  DType dtype(int i) const { return fact(i).dtype; }
  Shape shape(int i) const { return fact(i).shape(); }
  int rank(int i) const { return fact(i).rank(); }
  /// The value of input i where it is constant, else nullptr. Its data may be let go after compile(): a kernel that
  /// reads them in runs, not as an input, keeps a copy of the Tensor.
  const Tensor* constant(int i) const { return has(i) && fact(i).constant ? &fact(i).constant : nullptr; }
  const Fact& output_fact(int i) const { return at(outputs_, i); }
  bool has_output(int i) const { return output_fact(i).present(); }
  DType output_dtype(int i) const { return output_fact(i).dtype; }
  Shape output_shape(int i) const { return output_fact(i).shape(); }

  virtual Isa isa() const = 0;
  /// The threads to pack with, and to divide work for, ModelOptions::executor.
  virtual Executor& executor() const = 0;

  /// Data derived from a constant (packed weights), made once per model and shared by all its plans: two calls with the
  /// same source and form get the same tensor.
  virtual Tensor packed(const Tensor& source, const PackedForm& form, const std::function<Tensor()>& make) const = 0;
  /// A tensor of numbers for make() to fill, uninitialised; in memory of weights freed before where there is enough.
  virtual Tensor packed_memory(DType dtype, const Shape& shape) const = 0;

 private:
  static const Fact& at(std::span<const Fact> facts, int i);

  std::span<const Fact> inputs_;
  std::span<const Fact> outputs_;
};

/// What an operator computes in. Where that is another dtype than its inputs', Casts stand around the node; inside a
/// chain of such nodes values are not rounded to their own dtype.
enum class Precision {
  kFloat32,  ///< float16 and bfloat16 as float32
  kFloat64,  ///< all floats from 16 bits on as float64
  kAny,      ///< moves elements or reads their shape only: whatever dtype they come in
  kAsGiven,  ///< the dtypes of its inputs: what they are matters
};

/// The values of a node that ran. Omitted ones are empty tensors.
struct LINNET_API NodeValues {
  std::span<const Tensor*const> inputs, outputs;

  bool has(int i) const { return i < int(inputs.size()) && *inputs[size_t(i)]; }
  const Tensor& in(int i) const { return *inputs[size_t(i)]; }
  bool has_output(int i) const { return i < int(outputs.size()) && *outputs[size_t(i)]; }
  const Tensor& out(int i) const { return *outputs[size_t(i)]; }
  /// The bytes of all values, one that several inputs read counted once; strings and containers count nothing.
  int64_t bytes() const;
  static int64_t bytes(const Tensor& value);
};

/// The meaning of a node: its attributes, its type and shape rule, its compilation, and what rewrites and profiles ask
/// about it. Immutable.
/// The constructor checks attributes; infer() checks types and shapes. Both throw Error without naming the node:
/// the engine adds "Conv 'name' (opset 14): ".
class LINNET_API Op {
 public:
  virtual ~Op() = default;

  /// Facts of the outputs from those of the inputs (omitted ones are not present()). Dims that cannot be known yet
  /// stay open. Must be exact where all input facts are concrete, except for dims that depend on data.
  virtual std::vector<Fact> infer(std::span<const Fact> in) const = 0;

  /// A kernel for concrete input facts; `in` also holds what infer() returned for them.
  virtual KernelPtr compile(const CompileInput& in) const = 0;

  /// Inputs whose value, not only shape, infer() needs: the shape of Reshape. A node waits until they are known.
  virtual std::vector<int> value_inputs() const { return {}; }

  /// True for the inputs whose elements, moved, repeated or left out, are all that the outputs hold. They may then be
  /// of any dtype of one byte or more: in quantised models the node moves bytes in place of floats.
  virtual bool moves(int /*input*/) const { return false; }

  /// The precision for inputs of these dtypes. Unless it is kFloat64, float32 and float64 are computed in themselves.
  /// Where it is kFloat32 or kFloat64, infer() must accept float32 or float64 in place of float16 and bfloat16, and
  /// compile() never sees these as inputs. Not asked for nodes with bodies or containers, which are kAsGiven. Here it
  /// is kAny for what moves elements, else kFloat32.
  virtual Precision computes_in(std::span<const Fact> in) const;

  /// True for operators that take sequences, optionals or maps; the engine refuses them for all others.
  virtual bool accepts_containers() const { return false; }

  /// True where the output is a larger form of constants, as DequantizeLinear's: folded, whatever its size, but only
  /// once no rewrite looks for the smaller form any more.
  virtual bool widens_constants() const { return false; }

  /// False for operators whose results must not be shared or precomputed: random numbers.
  virtual bool deterministic() const { return true; }

  /// True where each output has, at every place, a function of what the inputs have there, which NumPy's rules
  /// broadcast. Transposes may then change places with the node.
  virtual bool is_elementwise() const { return false; }

  /// For operators that are is_elementwise(): the integer that the output holds where the inputs hold these, whatever
  /// the sizes of a run. Booleans are 0 and 1. An integer is undetermined where nothing is known of it or the input is
  /// omitted, and the result where nothing follows. So the engine knows shapes that a model computes: it asks for each
  /// element of small int32, int64 and bool outputs. It checks the output's dtype: the rule computes as if integers had
  /// no limits. Example, of an operator that adds: return inputs[0] + inputs[1].
  virtual Dim element(std::span<const Dim> /*inputs*/) const { return {}; }

  /// The same for all elements of output 0, of operators for which element() does not do. infer() returned `out` for
  /// it, and elements_of() has those of the inputs. nullopt, or undetermined elements: unknown. What only moves
  /// elements (see moves()) needs no rule: its own kernel moves those that are known, where all other inputs are
  /// constant.
  virtual std::optional<Dims> contents(std::span<const Fact> /*in*/, const Fact& /*out*/) const { return std::nullopt; }

  /// How the node runs where a state of the model has memory for more rows than it has: on values of which a prefix is
  /// in use. True where it was said to `prefix`. Here: operators that are is_elementwise() run on all rows. All others
  /// run on copies of the rows in use, and are compiled for each number of rows.
  virtual bool prefix(Prefix& prefix) const;

  /// The multiplications whose results are added up, by the definition of the operator: those of convolutions, of
  /// matrix products, of attention, of recurrent cells. 0 where there are none. Profiles compare the time of the node
  /// with that of so many on this machine, in the dtype of input 0.
  virtual int64_t multiply_adds(const NodeValues& /*values*/) const { return 0; }

  /// The bytes that the operator reads and writes, by its definition: less than those of all values where it reads or
  /// writes a part of one. Profiles compare the time of the node with that of moving so many.
  virtual int64_t bytes_moved(const NodeValues& values) const { return values.bytes(); }
};

}  // namespace linnet
