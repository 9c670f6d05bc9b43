#include "rewrites/matching/match.h"
#include "rewrites/matching/product.h"
#include "rewrites/rewrite_list.h"

namespace linnet {
namespace {

// Gemm has no residual: its third input is broadcast.
bool can_take_residual(const Node& product) {
  return product.spec.op_type != "Gemm" && product.inputs.size() <= size_t(residual_input(product));
}

}  // namespace

// Add(linnet::Conv(x, w, b), r) -> linnet::Conv(x, w, b, r), likewise DeformConv and MatMul: r has the shape of the
// result.
std::optional<Patch> fuse_residual(const Graph& graph, const Node& node) {
  if (!is_op(node, "Add")) return std::nullopt;
  for (int input = 0; input < 2; ++input) {
    const Node* product = product_before(graph, node, input);
    if (!product || !can_take_residual(*product)) continue;
    const ValueId residual = other_input(node, product->outputs[0]);
    if (residual == kNoValue || !same_shape(graph.fact(residual), graph.fact(product->outputs[0]))) continue;
    std::vector<ValueId> inputs = product->inputs;
    inputs.resize(size_t(residual_input(*product)), kNoValue);
    inputs.push_back(residual);
    Patch patch(graph);
    patch.replace(node.outputs[0], patch.add(internal_spec(*product, product->spec.op_type), inputs));
    return patch;
  }
  return std::nullopt;
}

}  // namespace linnet
