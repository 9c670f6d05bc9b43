#include "expansion/expanded_op.h"
#include "infer/infer.h"
#include "registration.h"

namespace linnet {
namespace {

/// ComplexMul: C = A * B. ComplexMulConj: C = A * conj(B). Products of complex numbers, with NumPy's broadcasting.
/// - A, B, C: float16/bfloat16/float/double [..., 2], one dtype for all; the last dim holds the real and imaginary
///   parts
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.ComplexMul
class ComplexMul final : public ExpandedOp {
 public:
  explicit ComplexMul(const NodeSpec& node)
      : ExpandedOp(node, Precision::kFloat32), conjugates_(node.op_type == "ComplexMulConj") {}

 private:
  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 2, 2);
    require_floating(graph.facts()[0], "A");
    require_same_dtype(graph.facts()[0], graph.facts()[1], "A and B");
    for (const size_t i : {0, 1}) require_pairs(graph.facts()[i], i == 0 ? "A" : "B");
    const auto a = graph.op("Split", {graph.in(0)}, 2, kHalves), b = graph.op("Split", {graph.in(1)}, 2, kHalves);
    const auto mul = [&](ValueId x, ValueId y) { return graph.op("Mul", {x, y}); };
    const std::string plus = conjugates_ ? "Sub" : "Add", minus = conjugates_ ? "Add" : "Sub";
    const ValueId real = graph.op(minus, {mul(a[0], b[0]), mul(a[1], b[1])});
    const ValueId imaginary = graph.op(plus, {mul(a[1], b[0]), mul(a[0], b[1])});
    return {graph.op("Concat", {real, imaginary}, {{"axis", int64_t{-1}}})};
  }

  static void require_pairs(const Fact& fact, const std::string& what) {
    require_rank_at_least(fact, 1, what);
    if (fact.has_rank()) merge_dim(fact.dim(fact.rank() - 1), 2, "the last dim of " + what + " and a complex number");
  }

  inline static const Attributes kHalves{{"axis", int64_t{-1}}, {"num_outputs", int64_t{2}}};
  bool conjugates_;
};

}  // namespace

LINNET_REGISTER(complex_mul)(Registry& registry) {
  for (const char* name : {"ComplexMul", "ComplexMulConj"}) {
    add_expanded<ComplexMul>(registry, name, {.domain = kMicrosoft});
  }
}

}  // namespace linnet
