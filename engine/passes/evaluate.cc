#include "passes/evaluate.h"

#include <algorithm>

#include "compile/compile_input.h"
#include "environment/run_environment.h"
#include "passes/computed_contents.h"
#include "tensor/held_bytes.h"

namespace linnet {
namespace {

// Folding must not turn a small file into large constants. A node that only repeats elements of a large constant saves
// no arithmetic when folded, and folding it hides from rewrites that the elements are the same.
constexpr size_t kFreeBytes = size_t{1} << 20;
constexpr size_t kRepetition = 1, kGrowth = 2, kWidening = 32;
// The limit on nodes and loop iterations for one constant.
constexpr int64_t kMostChecks = 1000;

bool small_enough(std::span<const Fact> in, std::span<const Fact> out, size_t growth) {
  size_t in_bytes = 0, out_bytes = 0;
  for (const Fact& fact : in) in_bytes += fact.present() ? fact.constant.bytes() : 0;
  for (const Fact& fact : out) out_bytes += fact.present() ? dtype_bytes(fact.dtype, fact.shape().elements()) : 0;
  return out_bytes <= std::max(kFreeBytes, growth * in_bytes);
}

size_t growth_of(const Op& op) {
  if (op.widens_constants()) return kWidening;
  return op.moves(0) ? kRepetition : kGrowth;
}

std::vector<Tensor> allocated(std::span<const Fact> out) {
  std::vector<Tensor> outputs;
  for (const Fact& fact : out) outputs.push_back(fact.present() ? Tensor(fact.dtype, fact.shape()) : Tensor());
  return outputs;
}

class EvaluationContext final : public RunContext {
 public:
  EvaluationContext(const Kernel& kernel, std::span<const Fact> in, std::span<const Fact> out,
                    RunEnvironment& environment)
      : RunContext(environment),
        in_(in),
        outputs_(allocated(out)),
        state_(kernel.make_state()),
        scratch_(DType::kUint8, {int64_t(kernel.scratch_bytes())}) {}

  const Tensor& input(int i) const override {
    static const Tensor absent;
    return i < int(in_.size()) ? in_[size_t(i)].constant : absent;
  }
  Tensor& output(int i) override {
    if (!given(i)) throw_output_omitted(i);
    return outputs_[size_t(i)];
  }
  Tensor& allocate_output(int i, const Shape& shape) override {
    Tensor& y = output(i);
    return y = Tensor(y.dtype(), shape);
  }
  void set_output(int i, const Tensor& value) override {
    if (given(i)) output(i) = value.clone();
  }
  std::byte* scratch(int) override { return static_cast<std::byte*>(scratch_.raw()); }
  KernelState* state() override { return state_.get(); }

  std::vector<Tensor> take() { return std::move(outputs_); }

 private:
  bool given(int i) const { return i < int(outputs_.size()) && outputs_[size_t(i)]; }

  std::span<const Fact> in_;
  std::vector<Tensor> outputs_;
  std::unique_ptr<KernelState> state_;
  Tensor scratch_;
};

}  // namespace

std::vector<Tensor> run_once(const Node& node, std::span<const Fact> in, std::span<const Fact> out,
                             const ModelResources& resources) {
  return with_node_context(node.spec, [&] {
    const KernelPtr kernel = node.op->compile(ModelCompileInput(in, out, resources));
    RunEnvironment environment = RunEnvironment::folding(resources.options.limits.memory_bytes, kMostChecks);
    const RunEnvironment::Scope scope(environment);
    environment.check_memory(size_t(checked_add(int64_t(kernel->state_bytes()), int64_t(kernel->scratch_bytes()))));
    EvaluationContext context(*kernel, in, out, environment);
    {
      const RunEnvironment::Texts texts(environment);
      kernel->run(context);
    }
    std::vector<Tensor> outputs = context.take();
    std::ranges::for_each(outputs, count_held);
    return outputs;
  });
}

std::optional<std::vector<Tensor>> evaluate(const Node& node, std::span<const Fact> in, std::span<const Fact> out,
                                            const ModelResources& resources) {
  // As a constant, a container would lose what its fact contains about its elements.
  const auto foldable = [](const Fact& f) { return !f.present() || (f.concrete() && !is_container(f.dtype)); };
  if (!std::all_of(out.begin(), out.end(), foldable) || !small_enough(in, out, growth_of(*node.op)))
    return std::nullopt;
  if (no_elements(out)) return allocated(out);
  if (compute_dtype(node, in, out) != DType::kUndefined)
    return std::nullopt;  // the nodes that it is lowered to are folded
  try {
    return resources.constants.computed(node, in, out, [&] {
      return ComputedContents::computed_again(node, in, out, resources, run_once(node, in, out, resources));
    });
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kLimit) throw;
    return std::nullopt;  // left to the run, whose limits the caller sets
  }
}

}  // namespace linnet
