#include "gemm/product_types.h"
#include "rewrites/define_rewrite.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

bool is_product(const Node& node, std::string_view op_type) {
  return is_op(node, op_type) || is_op(node, op_type, kInternalDomain);
}

/// Whether the kernel of a product widens weights as it reads them. Grouped convolutions, which have few weights, do
/// not.
bool takes_half_weights(const Node& node) {
  if (is_op(node, "Conv", kInternalDomain)) return node.spec.attr_or("group", int64_t{1}) == 1;
  return is_product(node, "MatMul") || (is_product(node, "Gemm") && node.spec.attr_or("alpha", 1.f) == 1);
}

}  // namespace

// MatMul(x, linnet::Cast(w)) -> linnet::MatMul(x, w) for constants w of a dtype that products widen, so that they stay
// narrow in memory. Gemm and linnet::Conv likewise.
LINNET_DEFINE_REWRITE(keep_half_weights, internal_op("Conv"), "MatMul", internal_op("MatMul"), "Gemm",
                      internal_op("Gemm"))
(const Graph& graph, const Node& node) {
  if (!takes_half_weights(node) || graph.fact(node.outputs[0]).dtype != DType::kFloat32) return std::nullopt;
  const Node* cast = producer(graph, node, 1, "Cast", kInternalDomain);
  if (!cast || !graph.constant_input(*cast, 0) || !is_widened_type(graph.input_fact(*cast, 0).dtype))
    return std::nullopt;
  std::vector<ValueId> inputs = node.inputs;
  inputs[1] = cast->inputs[0];
  Patch patch(graph);
  patch.replace(node.outputs[0], patch.add(internal_spec(node, node.spec.op_type), inputs));
  return patch;
}

}  // namespace linnet
