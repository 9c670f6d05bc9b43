#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "compile/model_resources.h"
#include "graph/graph.h"
#include "tensor/counted_memory.h"

namespace linnet {

class Program;
class RunEnvironment;

/// The source of a value's tensor while a plan runs.
struct Slot {
  enum class Kind {
    kInput,     ///< the caller's tensor number `index`
    kConstant,  ///< `constant`
    kArena,     ///< planned memory at `offset`
    kOwned,     ///< separate memory for strings, containers and outputs, or that of slot `index`, written in place
    kView,      ///< the bytes of slot `index` with another shape
    kDynamic,   ///< memory that the kernel allocates or provides
  };
  Kind kind = Kind::kDynamic;
  DType dtype = DType::kUndefined;
  Shape shape;
  int index = 0;
  size_t offset = 0;
  std::shared_ptr<const Tensor> constant{};
};

constexpr size_t kKernelBytes = 512;  ///< an estimate for a kernel object and what it allocates, except tables

/// A node with its kernel and the slots that it reads and writes (-1: omitted). Without node and kernel, it copies
/// input 0 to output 0.
struct PlannedNode {
  const Node* node = nullptr;
  std::shared_ptr<const Kernel> kernel;
  std::vector<int> inputs, outputs;
  std::vector<std::pair<const void*, size_t>> packed{};  ///< constants that the kernel holds: addresses and bytes
  bool gives_objects = false;  ///< outputs are strings or containers, whose size is not planned
};

/// The requirements of a plan for an input. With `value`, the contents must be equal, too; the elements of a container
/// meet `type`.
struct PlanInput {
  DType dtype;
  Shape shape;
  Tensor value{};
  Fact type{};

  bool accepts(const Tensor& tensor) const;
};

/// Whether each tensor meets the requirements for its input.
bool accept(const std::vector<PlanInput>& inputs, std::span<const Tensor> tensors);

/// A program compiled for one set of input shapes. Nodes that wait for data-dependent shapes form separate programs,
/// which are planned when the shapes are known.
struct Plan {
  struct Output {
    int slot = -1;
    int rest_value = -1;  ///< if slot is -1: its number, see Rest
    int owner = -1;       ///< the kOwned slot in whose memory it is; -1: none, the slot's tensor keeps its memory
    int over_input = -1;  ///< the input, by number, that the kernel which writes the owner may overwrite; -1: none
  };

  /// Nodes that wait for shapes: a program whose inputs are known once the plan and the earlier rests have run. Values
  /// are numbered: first `rest_inputs`, then the outputs of all rests.
  struct Rest {
    std::shared_ptr<Program> program;
    std::vector<int> inputs;
  };

  /// A graph input, and the number of the output that takes its memory if a kernel overwrites the input with it.
  struct State {
    size_t input, output;
    int axis = -1;      ///< the axis that it grows along; -1: none
    int64_t rows = -1;  ///< the rows that a kernel writes along it, in place; -1: none
  };

  explicit Plan(Graph specialized) : graph(std::move(specialized)) {}

  Graph graph;  ///< specialised for the shapes; `nodes` point to its nodes
  std::vector<PlanInput> inputs;
  std::vector<Slot> slots;
  std::vector<PlannedNode> nodes;
  std::vector<Output> outputs;
  std::vector<State> states;
  bool guarded = false;  ///< ModelOptions::guard_memory
  bool like = false;     ///< made from another plan of the same nodes
  size_t arena_bytes = 0;
  size_t owned_bytes = 0;    ///< the bytes of kOwned slots
  size_t scratch_bytes = 0;  ///< per worker
  size_t state_bytes = 0;
  size_t new_bytes = 0;  ///< the bytes of values that became known, constants packed and kernels compiled for this plan
  std::vector<Rest> rests;
  std::vector<int> rest_inputs;                    ///< slots
  std::shared_ptr<const CountedMemory> counted{};  ///< own_bytes(), and the bytes of its kernels

  bool accepts(std::span<const Tensor> tensors) const { return accept(inputs, tensors); }
  /// The bytes of values, slots and nodes, which are not shared with other plans. Kernels may belong to earlier plans.
  size_t own_bytes() const;
  /// The memory that the plan keeps alive, by address: constants, packed constants, and everything else under the
  /// plan's address.
  std::map<const void*, size_t> holdings() const;
};

/// What happens to constants that kernels hold in packed form.
enum class Sources {
  kKept,   ///< kept, because other plans may pack them differently
  kFreed,  ///< freed as soon as they are packed; their facts and slots lose the values
};

/// The options of make_plan().
struct PlanOptions {
  Sources sources = Sources::kKept;
  const RunEnvironment* run = nullptr;  ///< the run whose memory no single value may exceed; nullptr: the current one
  const Plan* like = nullptr;           ///< a plan of the same nodes; its kernels are used where facts are the same
  std::vector<Plan::State> states{};
};

/// Compiles a graph whose input facts are concrete. Throws what operators throw, with the node's description. Before
/// compiling, throws Error(kLimit) if a single value exceeds the memory of a run.
std::shared_ptr<const Plan> make_plan(Graph graph, std::vector<PlanInput> inputs,
                                      const std::shared_ptr<const ModelResources>& resources,
                                      const PlanOptions& options = {});

}  // namespace linnet
