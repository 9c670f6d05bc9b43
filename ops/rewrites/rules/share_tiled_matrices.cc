#include <algorithm>
#include <optional>

#include "infer/infer.h"
#include "rewrites/define_rewrite.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/reshape_nodes.h"

namespace linnet {
namespace {

/// How often a Tile repeats its input along the first axis, and along no other; nullopt for all else.
std::optional<int64_t> times_repeated(const Graph& graph, const Node& tile) {
  const auto repeats = constant_ints(graph.input_fact(tile, 1));
  if (tile.spec.opset < 6 || !repeats || repeats->empty()) return std::nullopt;
  const bool others = std::any_of(repeats->begin() + 1, repeats->end(), [](int64_t r) { return r != 1; });
  return others || repeats->front() < 2 ? std::nullopt : std::optional(repeats->front());
}

/// A Transpose behind the second input whose first axis stays where it is; nullptr where there is none.
const Node* matrices_transposed(const Graph& graph, const Node& product) {
  const Node* transpose = producer(graph, product, 1, "Transpose");
  const auto* perm = transpose ? transpose->spec.find<std::vector<int64_t>>("perm") : nullptr;
  return perm && !perm->empty() && perm->front() == 0 ? transpose : nullptr;
}

bool counts_alike(const Fact& a, const Fact& b) {
  return a.concrete() && b.concrete() && a.rank() == b.rank() && a.rank() > 2 && certainly_equal(a.dim(0), b.dim(0)) &&
         a.shape().elements() > 0;
}

/// Dims whose first is counted by two, so many times the rest.
Dims split_first(const Dims& dims, int64_t times) {
  Dims result = dims;
  result.front() = Dim(dims.front().value() / times);
  result.insert(result.begin(), Dim(times));
  return result;
}

}  // namespace

// MatMul(a, Tile(b)) -> Reshape(MatMul(Reshape(a), b)), where the matrices of b are repeated along the first axis,
// perhaps before they are transposed: the product broadcasts them, and packs those of a constant once and for all.
LINNET_DEFINE_REWRITE(share_tiled_matrices, "MatMul")(const Graph& graph, const Node& node) {
  const Node* transpose = matrices_transposed(graph, node);
  const Node* tile = producer(graph, transpose ? *transpose : node, transpose ? 0 : 1, "Tile");
  const auto times = tile ? times_repeated(graph, *tile) : std::nullopt;
  const Fact& a = graph.input_fact(node, 0);
  if (!times || !counts_alike(a, graph.input_fact(node, 1))) return std::nullopt;
  Patch patch(graph);
  const ValueId b = transpose ? patch.add(transpose->spec, {tile->inputs[0]}) : tile->inputs[0];
  const ValueId y = patch.add(node.spec, {add_reshape(patch, node, node.inputs[0], split_first(*a.dims, *times)), b});
  patch.replace(node.outputs[0], add_reshape(patch, node, y, *graph.fact(node.outputs[0]).dims));
  return patch;
}

}  // namespace linnet
