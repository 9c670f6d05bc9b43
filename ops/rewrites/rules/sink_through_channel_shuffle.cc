#include "rewrites/matching/layout.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/reshape_nodes.h"
#include "rewrites/matching/sink_transpose.h"

namespace linnet {
namespace {

bool concrete(const Fact& fact, int rank) { return fact.concrete() && fact.rank() == rank; }

/// Reshape(Transpose(Reshape(x))), where the Transpose has a given perm and all shapes are known.
struct Regrouping {
  ValueId source;  ///< x in channels-last; kNoValue if x is not channels-last
  Shape from, groups, to;
};

std::optional<Regrouping> regrouping(const Graph& graph, const Node* joined, const std::vector<int64_t>& perm) {
  const Node* transpose = joined ? producer(graph, *joined, 0, "Transpose") : nullptr;
  const Node* split = transpose ? producer(graph, *transpose, 0, "Reshape") : nullptr;
  if (!split || transpose->spec.attr_or("perm", std::vector<int64_t>{}) != perm) return std::nullopt;
  const Fact &from = graph.input_fact(*split, 0), &groups = graph.fact(split->outputs[0]);
  const Fact& to = graph.fact(joined->outputs[0]);
  if (!concrete(from, 4) || !concrete(groups, int(perm.size())) || !to.concrete()) return std::nullopt;
  return Regrouping{channels_last_source(graph, *split, 0), from.shape(), groups.shape(), to.shape()};
}

// Sinks through Reshape(Transpose(Reshape(x, [N,g,C/g,H,W]), [0,2,1,3,4]), [N,C,H,W]).
std::optional<Patch> sink_through_whole_shuffle(const Graph& graph, const Node& node) {
  const auto r = is_op(node, "Reshape") ? regrouping(graph, &node, {0, 2, 1, 3, 4}) : std::nullopt;
  if (!r || r->source == kNoValue || !(r->to == r->from)) return std::nullopt;
  const Shape &x = r->from, &g = r->groups;
  if (!(g == Shape{x[0], g[1], g[2], x[2], x[3]}) || g[1] * g[2] != x[1]) return std::nullopt;
  Patch patch(graph);
  ValueId value = add_reshape(patch, node, r->source, std::vector<int64_t>{0, 0, 0, g[1], g[2]});
  value = add_transpose(patch, node, value, {0, 1, 2, 4, 3});
  value = add_reshape(patch, node, value, std::vector<int64_t>{0, 0, 0, x[1]});
  patch.replace(node.outputs[0], add_to_channels_first(patch, node, value, 4));
  return patch;
}

// Sinks through Gather(Reshape(Transpose(Reshape(x, [N*C/g,g,H*W]), [1,0,2]), [g,N,C/g,H,W]), i): every g-th channel.
std::optional<Patch> sink_through_part_of_shuffle(const Graph& graph, const Node& node) {
  if (!is_op(node, "Gather") || node.spec.attr_or("axis", 0) != 0 || !concrete(graph.input_fact(node, 1), 0)) {
    return std::nullopt;
  }
  const auto r = regrouping(graph, producer(graph, node, 0, "Reshape"), {1, 0, 2});
  if (!r || r->source == kNoValue || r->to.rank() != 5) return std::nullopt;
  const Shape &x = r->from, &y = r->to, &g = r->groups;
  if (!(y == Shape{g[1], x[0], y[2], x[2], x[3]}) || y[0] * y[2] != x[1]) return std::nullopt;
  if (!(g == Shape{x[0] * y[2], y[0], x[2] * x[3]})) return std::nullopt;
  Patch patch(graph);
  ValueId value = add_reshape(patch, node, r->source, std::vector<int64_t>{x[0] * x[2] * x[3] * y[2], y[0]});
  value = add_transpose(patch, node, value, {1, 0});
  value = add_reshape(patch, node, patch.add(node.spec, {value, node.inputs[1]}),
                      std::vector<int64_t>{x[0], x[2], x[3], y[2]});
  patch.replace(node.outputs[0], add_to_channels_first(patch, node, value, 4));
  return patch;
}

}  // namespace

// Moves channel shuffles to the last axis, in the form that most exporters write, and in the one that splits the
// shuffled channels immediately.
// Source: Zhang et al., "ShuffleNet", arXiv:1707.01083.
std::optional<Patch> sink_through_channel_shuffle(const Graph& graph, const Node& node) {
  auto patch = sink_through_whole_shuffle(graph, node);
  return patch ? patch : sink_through_part_of_shuffle(graph, node);
}

}  // namespace linnet
