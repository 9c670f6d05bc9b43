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

/// Where the tensor of a value comes from while a plan runs.
struct Slot {
  enum class Kind {
    kInput,     ///< the caller's tensor number `index`
    kConstant,  ///< `constant`
    kArena,     ///< planned memory at `offset`
    kOwned,     ///< memory apart, for strings, containers and outputs: its own, or of slot `index`, written in place
    kView,      ///< the bytes of slot `index` under another shape
    kDynamic,   ///< whatever the kernel allocates or provides
  };
  Kind kind = Kind::kDynamic;
  DType dtype = DType::kUndefined;
  Shape shape;
  int index = 0;
  size_t offset = 0;
  Tensor constant{};
};

constexpr size_t kKernelBytes = 512;  ///< of a kernel object and what it allocates, tables aside

/// A node with its kernel and the slots that it reads and writes (-1: omitted). Without node and kernel it copies
/// input 0 to output 0.
struct PlannedNode {
  const Node* node = nullptr;
  std::shared_ptr<const Kernel> kernel;
  std::vector<int> inputs, outputs;
  std::vector<std::pair<const void*, size_t>> packed{};  ///< constants that the kernel holds: addresses and bytes
  bool gives_objects = false;                            ///< outputs are strings or containers, of no planned size
};

/// What an input must be for a plan to fit. With `value`, the contents count, too; a container's elements meet `type`.
struct PlanInput {
  DType dtype;
  Shape shape;
  Tensor value{};
  Fact type{};

  bool accepts(const Tensor& tensor) const;
};

/// Whether each tensor is what an input must be.
bool accept(const std::vector<PlanInput>& inputs, std::span<const Tensor> tensors);

/// A program compiled for one set of input shapes. Nodes that wait for data-dependent shapes form programs of their
/// own, planned when the shapes are known.
struct Plan {
  struct Output {
    int slot = -1;
    int rest_value = -1;  ///< where slot is -1: its number, see Rest
    int owner = -1;       ///< the kOwned slot in whose memory it lies; -1: none, the slot's tensor keeps its memory
    int over_input = -1;  ///< the number of the input that the kernel which writes the owner may write over; -1: none
  };

  /// Nodes that wait for shapes: a program whose inputs are known once the plan and the rests before have run. Numbers
  /// stand for values: `rest_inputs` come first, the outputs of all rests follow.
  struct Rest {
    std::shared_ptr<Program> program;
    std::vector<int> inputs;
  };

  /// A graph input and the number of the output that takes its memory, where a kernel writes the one over the other.
  struct State {
    size_t input, output;
    int axis = -1;      ///< that it grows along; -1: none
    int64_t rows = -1;  ///< that a kernel writes along it, in place; -1: none does
  };

  explicit Plan(Graph specialized) : graph(std::move(specialized)) {}

  Graph graph;  ///< specialised to the shapes; `nodes` point to its nodes
  std::vector<PlanInput> inputs;
  std::vector<Slot> slots;
  std::vector<PlannedNode> nodes;
  std::vector<Output> outputs;
  std::vector<State> states;
  bool guarded = false;  ///< ModelOptions::guard_memory
  bool like = false;     ///< made after another plan of the same nodes
  size_t arena_bytes = 0;
  size_t owned_bytes = 0;    ///< of kOwned slots
  size_t scratch_bytes = 0;  ///< per worker
  size_t state_bytes = 0;
  size_t new_bytes = 0;  ///< of values that became known, constants packed and kernels compiled for this plan
  std::vector<Rest> rests;
  std::vector<int> rest_inputs;                    ///< slots
  std::shared_ptr<const CountedMemory> counted{};  ///< own_bytes(), and those of its kernels

  bool accepts(std::span<const Tensor> tensors) const { return accept(inputs, tensors); }
  /// Of values, slots and nodes, which no other plan has; kernels may be of plans before.
  size_t own_bytes() const;
  /// The memory that the plan keeps alive, by address: constants, packed ones, and under its own address all the rest.
  std::map<const void*, size_t> holdings() const;
};

/// What becomes of constants that kernels hold in packed form.
enum class Sources {
  kKept,   ///< other plans may pack them otherwise
  kFreed,  ///< as soon as they are packed: their facts and slots lose the values
};

/// What make_plan() may take into account.
struct PlanOptions {
  Sources sources = Sources::kKept;
  const RunEnvironment* run = nullptr;  ///< whose memory one value alone must not exceed; nullptr: the current one
  const Plan* like = nullptr;           ///< a plan of the same nodes: its kernels are taken where facts are the same
  std::vector<Plan::State> states{};
};

/// Compiles a graph whose input facts are concrete. Throws what operators throw, with the node's description; before
/// that Error(kLimit) where one value alone exceeds the memory of a run.
std::shared_ptr<const Plan> make_plan(Graph graph, std::vector<PlanInput> inputs,
                                      const std::shared_ptr<const ModelResources>& resources,
                                      const PlanOptions& options = {});

}  // namespace linnet
