#include "infer/infer.h"
#include "rewrites/define_rewrite.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/row_part.h"

namespace linnet {

// Concat(linnet::RotaryEmbedding(x1), x2), where x1 is the beginning and x2 the rest of each row of x ->
// linnet::RotaryEmbedding(x) that rotates as many values as x1 has.
LINNET_DEFINE_REWRITE(extend_rotary_embedding, "Concat")(const Graph& graph, const Node& node) {
  const Fact& y = graph.fact(node.outputs[0]);
  if (node.inputs.size() != 2 || !y.has_rank()) return std::nullopt;
  if (normalize_axis(node.spec.attr_or("axis", 0), y.rank()) != y.rank() - 1) return std::nullopt;
  const Node* rotary = producer(graph, node, 0, "RotaryEmbedding", kInternalDomain);
  if (!rotary || rotary->spec.has("rotary_embedding_dim")) return std::nullopt;
  const auto first = row_part(graph, rotary->inputs[0]), second = row_part(graph, node.inputs[1]);
  const bool whole = first && second && first->x == second->x && first->begin == 0 && first->end == second->begin &&
                     first->step == 1 && second->step == 1 && same_dims(graph.fact(first->x), y);
  if (!whole || graph.only_consumer(rotary->outputs[0]) != &node) return std::nullopt;
  NodeSpec spec = rotary->spec;
  spec.attributes["rotary_embedding_dim"] = first->end;
  Patch patch(graph);
  patch.replace(node.outputs[0], patch.add(spec, {first->x, rotary->inputs[1], rotary->inputs[2]}));
  return patch;
}

}  // namespace linnet
