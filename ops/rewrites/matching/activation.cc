#include "rewrites/matching/activation.h"

#include "rewrites/matching/clip_bounds.h"
#include "rewrites/matching/match.h"

namespace linnet {

std::optional<Activation> activation_of(const Graph& graph, const Node& node) {
  if (is_op(node, "Clip")) {
    const auto bounds = clip_bounds(graph, node);
    if (!bounds || bounds->low > bounds->high) return std::nullopt;
    return Activation{unary_function("Clip"), bounds->low, bounds->high};
  }
  if (is_op(node, "PRelu")) {
    const auto slope = scalar_input(graph, node, 1);
    return slope ? std::optional(Activation{unary_function("LeakyRelu"), *slope}) : std::nullopt;
  }
  const auto activation = activation_of(node.spec);
  return activation && activation->function->kernel ? activation : std::nullopt;
}

}  // namespace linnet
