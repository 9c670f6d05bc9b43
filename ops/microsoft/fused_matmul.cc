#include <algorithm>
#include <numeric>

#include "expansion/expanded_op.h"
#include "infer/infer.h"
#include "microsoft/of_dtype.h"
#include "microsoft/output_activation.h"
#include "registration.h"

namespace linnet {
namespace {

/// FusedMatMul, formerly TransposeMatMul: Y = alpha * op(A) op(B), a product as numpy.matmul. If transBatchA or
/// transBatchB is set, op moves the first axis to the second to last; then, if transA or transB is set, it swaps the
/// last two. It does not change vectors. FusedMatMulActivation applies an OutputActivation to the product.
/// - A, B, Y: float16/bfloat16/float/double
/// - alpha (1)
/// Sources: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.FusedMatMul,
/// #com.microsoft.TransposeMatMul, #com.microsoft.FusedMatMulActivation
class FusedMatMul final : public ExpandedOp {
 public:
  explicit FusedMatMul(const NodeSpec& node)
      : ExpandedOp(node, Precision::kFloat32),
        order_{{node.attr_or("transBatchA", false), node.attr_or("transA", false)},
               {node.attr_or("transBatchB", false), node.attr_or("transB", false)}},
        alpha_(node.attr_or("alpha", 1.f)),
        activation_(OutputActivation::of_attributes(node)) {}

 private:
  struct AxisOrder {
    bool batch, matrix;
  };

  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 2, 2);
    require_floating(graph.facts()[0], "A");
    require_same_dtype(graph.facts()[0], graph.facts()[1], "A and B");
    for (size_t i = 0; i < 2; ++i) {
      if (transposes(i) && !graph.facts()[i].has_rank()) return {graph.unknown(graph.facts()[0].dtype)};
    }
    const ValueId y = graph.op("MatMul", {operand(graph, 0), operand(graph, 1)});
    return {activation_.applied(graph, times(graph, y, alpha_))};
  }

  bool transposes(size_t i) const { return order_[i].batch || order_[i].matrix; }

  ValueId operand(Expansion& graph, size_t i) const {
    const ValueId x = graph.in(i);
    if (!transposes(i) || graph.fact(x).rank() < 2) return x;
    std::vector<int64_t> perm(size_t(graph.fact(x).rank()));
    std::iota(perm.begin(), perm.end(), 0);
    if (order_[i].batch) std::rotate(perm.begin(), perm.begin() + 1, perm.end() - 1);
    if (order_[i].matrix) std::swap(perm.back(), *(perm.end() - 2));
    return graph.transpose(x, perm);
  }

  AxisOrder order_[2];
  float alpha_;
  OutputActivation activation_;
};

}  // namespace

LINNET_REGISTER(fused_matmul)(Registry& registry) {
  for (const char* name : {"FusedMatMul", "TransposeMatMul", "FusedMatMulActivation"}) {
    add_expanded<FusedMatMul>(registry, name, {.domain = kMicrosoft});
  }
}

}  // namespace linnet
