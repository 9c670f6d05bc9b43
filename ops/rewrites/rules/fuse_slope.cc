#include "rewrites/define_rewrite.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/product.h"

namespace linnet {
namespace {

/// The elements of a constant float32 with one value per channel (the last axis of y), as a vector; empty otherwise.
Tensor channel_slopes(const Fact& slope, const Fact& y) {
  if (!slope.constant || slope.dtype != DType::kFloat32 || !y.has_rank()) return {};
  const Shape& shape = slope.constant.shape();
  const bool per_channel = shape.rank() > 0 && shape.rank() <= y.rank() &&
                           certainly_equal(y.dim(y.rank() - 1), shape[shape.rank() - 1]) &&
                           shape.elements() == shape[shape.rank() - 1];
  return per_channel ? slope.constant.reshaped(Shape{shape.elements()}) : Tensor();
}

}  // namespace

// PRelu(linnet::Conv(x, w, b, r), slope) with one slope per channel -> linnet::Conv(x, w, b, r, slope).
LINNET_DEFINE_REWRITE(fuse_slope, "PRelu")(const Graph& graph, const Node& node) {
  if (node.spec.opset < 7) return std::nullopt;
  const Node* conv = product_before(graph, node, 0);
  if (!conv || !is_op(*conv, "Conv", kInternalDomain)) return std::nullopt;
  const Tensor slopes = channel_slopes(graph.input_fact(node, 1), graph.fact(conv->outputs[0]));
  if (!slopes) return std::nullopt;
  Patch patch(graph);
  std::vector<ValueId> inputs = conv->inputs;
  inputs.resize(4, kNoValue);
  inputs.push_back(patch.constant(node.spec.name + ".slope", slopes));
  patch.replace(node.outputs[0], patch.add(internal_spec(*conv, "Conv"), inputs));
  return patch;
}

}  // namespace linnet
