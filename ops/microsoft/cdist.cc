#include "expansion/expanded_op.h"
#include "infer/infer.h"
#include "registration.h"

namespace linnet {
namespace {

/// CDist: C[i, j] is the distance of row i of A and row j of B.
/// - A: [m, k], B: [n, k], C: [m, n]: float16/bfloat16/float/double, one dtype for all
/// - metric: sqeuclidean (default), |a|^2 - 2 a b + |b|^2 and at least 0, or euclidean, its square root
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.CDist
class CDist final : public ExpandedOp {
 public:
  explicit CDist(const NodeSpec& node)
      : ExpandedOp(node, Precision::kFloat32), metric_(node.attr_or("metric", "sqeuclidean")) {
    if (metric_ != "sqeuclidean" && metric_ != "euclidean") {
      throw Error(ErrorKind::kModel, str("metric must be 'sqeuclidean' or 'euclidean', got '", metric_, "'"));
    }
  }

 private:
  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 2, 2);
    require_floating(graph.facts()[0], "A");
    require_same_dtype(graph.facts()[0], graph.facts()[1], "A and B");
    require_rank(graph.facts()[0], 2, "A");
    require_rank(graph.facts()[1], 2, "B");
    const Attributes product{{"alpha", -2.f}, {"transB", int64_t{1}}};
    const ValueId rows = squares(graph, 0, 1), columns = squares(graph, 1, 0);
    const ValueId sum = graph.op("Add", {graph.op("Gemm", {graph.in(0), graph.in(1), columns}, product), rows});
    const ValueId square = graph.op("Relu", {sum});
    return {metric_ == "euclidean" ? graph.op("Sqrt", {square}) : square};
  }

  /// |row|^2 of an input, as a column, or as a vector if keepdims is 0.
  static ValueId squares(Expansion& graph, size_t i, int64_t keepdims) {
    return graph.op("ReduceSumSquare", {graph.in(i), graph.ints({1})}, {{"keepdims", keepdims}});
  }

  std::string metric_;
};

}  // namespace

LINNET_REGISTER(cdist)(Registry& registry) { add_expanded<CDist>(registry, "CDist", {.domain = kMicrosoft}); }

}  // namespace linnet
