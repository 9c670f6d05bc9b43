#include <algorithm>
#include <optional>

#include "infer/infer.h"
#include "rewrites/define_rewrite.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/reshape_nodes.h"

namespace linnet {
namespace {

/// The number of times that a Tile repeats its input along the first axis only; nullopt for other nodes.
std::optional<int64_t> times_repeated(const Graph& graph, const Node& tile) {
  const auto repeats = constant_ints(graph.input_fact(tile, 1));
  if (tile.spec.opset < 6 || !repeats || repeats->empty()) return std::nullopt;
  const bool others = std::any_of(repeats->begin() + 1, repeats->end(), [](int64_t r) { return r != 1; });
  return others || repeats->front() < 2 ? std::nullopt : std::optional(repeats->front());
}

/// The Transpose that produces the second input without moving the first axis; else nullptr.
const Node* matrices_transposed(const Graph& graph, const Node& product) {
  const Node* transpose = producer(graph, product, 1, "Transpose");
  const auto* perm = transpose ? transpose->spec.find<std::vector<int64_t>>("perm") : nullptr;
  return perm && !perm->empty() && perm->front() == 0 ? transpose : nullptr;
}

bool counts_alike(const Fact& a, const Fact& b) {
  return a.concrete() && b.concrete() && a.rank() == b.rank() && a.rank() > 2 && certainly_equal(a.dim(0), b.dim(0)) &&
         a.shape().elements() > 0;
}

/// The dims with the first split in two: `times`, and the rest.
Dims split_first(const Dims& dims, int64_t times) {
  Dims result = dims;
  result.front() = Dim(dims.front().value() / times);
  result.insert(result.begin(), Dim(times));
  return result;
}

}  // namespace

// MatMul(a, Tile(b)) -> Reshape(MatMul(Reshape(a), b)), if the Tile repeats the matrices of b along the first axis,
// possibly before they are transposed. The product broadcasts them, and packs those of a constant only once.
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
