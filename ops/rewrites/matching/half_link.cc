#include "rewrites/matching/half_link.h"

#include "elementwise/elementwise_chain.h"
#include "rewrites/matching/match.h"

namespace linnet {

std::string_view half_link(const Graph& graph, const Node& node) {
  if (!is_op(node, "Cast")) return {};
  const DType from = graph.input_fact(node, 0).dtype, to = graph.fact(node.outputs[0]).dtype;
  const auto is_half = [](DType dtype) { return dtype == DType::kFloat16 || dtype == DType::kBFloat16; };
  if (is_half(from) && to == DType::kFloat32) return kWidenLink;
  if (from != DType::kFloat32 || !is_half(to)) return {};
  return to == DType::kFloat16 ? kFloat16Link : kBFloat16Link;
}

}  // namespace linnet
