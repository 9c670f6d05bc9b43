#include <algorithm>
#include <array>

#include "functions/function_table.h"
#include "kernels/kernel_table.h"
#include "math/elementwise_steps.h"
#include "math/variadic.h"
#include "op_list.h"

namespace linnet {
namespace {

constexpr int64_t kBlock = 512;  // elements for which all steps are taken before the next ones

/// The steps with their kernels, taken block by block.
class BlockwiseSteps {
 public:
  BlockwiseSteps(const ElementwiseSteps& steps, Isa isa) : inputs_(steps.inputs) {
    const KernelTable& table = kernel_table(isa);
    for (const ElementwiseSteps::Step& step : steps.steps) {
      Step& own = steps_.emplace_back();
      own.first = step.first;
      own.second = step.second;
      own.alpha = step.alpha;
      own.beta = step.beta;
      if (step.second < 0) {
        own.unary = table.unary.*unary_function(step.op)->kernel;
      } else {
        own.binary = table.binary.*binary_function(step.op)->kernel;
      }
    }
  }

  void operator()(const Operand* x, void* y, int64_t n) const {
    float results[kMostChainSteps][kBlock];
    for (int64_t first = 0; first < n; first += kBlock) {
      const int64_t count = std::min(kBlock, n - first);
      std::array<Operand, kMostChainInputs + kMostChainSteps> operands;
      for (int64_t k = 0; k < inputs_; ++k) {
        operands[size_t(k)] = {static_cast<const float*>(x[k].data) + (x[k].scalar ? 0 : first), x[k].scalar};
      }
      for (size_t s = 0; s < steps_.size(); ++s) {
        float* result = s + 1 == steps_.size() ? static_cast<float*>(y) + first : results[s];
        operands[size_t(inputs_) + s] = {result, run(steps_[s], operands.data(), result, count)};
      }
      if (operands[size_t(inputs_) + steps_.size() - 1].scalar) repeat_first(static_cast<float*>(y) + first, count);
    }
  }

 private:
  struct Step {
    int64_t first, second;
    float alpha, beta;
    UnaryKernels::F unary = nullptr;
    BinaryForms binary{};
  };

  static const float* data(const Operand& operand) { return static_cast<const float*>(operand.data); }

  static void repeat_first(float* y, int64_t n) { std::fill_n(y, n, *y); }

  /// Returns whether the result is a scalar, too.
  static bool run(const Step& step, const Operand* operands, float* result, int64_t n) {
    const Operand& a = operands[step.first];
    if (step.unary) {
      step.unary(data(a), result, a.scalar ? 1 : n, step.alpha, step.beta);
      return a.scalar;
    }
    const Operand& b = operands[step.second];
    if (a.scalar && b.scalar) {
      step.binary.vector_vector(data(a), data(b), result, 1);
      return true;
    }
    const auto form = a.scalar   ? step.binary.scalar_vector
                      : b.scalar ? step.binary.vector_scalar
                                 : step.binary.vector_vector;
    form(data(a), data(b), result, n);
    return false;
  }

  int64_t inputs_;
  std::vector<Step> steps_;
};

/// Elementwise, of the internal domain: several float32 element-wise operations one after the other, for a block of
/// elements at a time, so that what is between them stays in the first-level cache. Inputs are broadcast to y.
/// ops: names in the table of functions; first, second: their operands, input i as i, the result of step s as
/// inputs + s, -1 where there is none; alpha, beta: their parameters.
class Elementwise final : public VariadicOp {
 public:
  explicit Elementwise(const NodeSpec& node) : steps_(node, node.num_inputs) {
    if (node.num_inputs > kMostChainInputs) {
      throw Error(ErrorKind::kModel, str("at most ", kMostChainInputs, " inputs are supported, got ", node.num_inputs));
    }
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    for (const Fact& fact : in) require_dtype(fact, DType::kFloat32, "every input");
    return VariadicOp::infer(in);
  }

  KernelPtr compile(const CompileInput& in) const override { return elementwise(in, BlockwiseSteps(steps_, in.isa())); }

 private:
  ElementwiseSteps steps_;
};

}  // namespace

void register_elementwise_chain(Registry& registry) {
  registry.add<Elementwise>("Elementwise", {.since = 1, .domain = "linnet"});
}

}  // namespace linnet
