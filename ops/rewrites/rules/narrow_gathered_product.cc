#include <algorithm>
#include <optional>

#include "infer/infer.h"
#include "rewrites/define_rewrite.h"
#include "rewrites/matching/arithmetic_nodes.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/reshape_nodes.h"

namespace linnet {
namespace {

/// A range of columns.
struct Columns {
  int64_t first = 0, count = 0;
};

/// The range of columns that constant indices refer to; nullopt if an index is out of bounds or negative.
template <class T>
std::optional<Columns> named_columns(std::span<const T> indices, int64_t all) {
  if (indices.empty()) return std::nullopt;
  const auto [least, most] = std::ranges::minmax(indices);
  if (least < 0 || most >= all) return std::nullopt;
  return Columns{least, int64_t{most} - least + 1};
}

std::optional<Columns> named_columns(const Tensor& indices, int64_t all) {
  return indices.dtype() == DType::kInt32 ? named_columns(indices.values<int32_t>(), all)
                                          : named_columns(indices.values<int64_t>(), all);
}

/// Whether a GatherElements gathers along the last axis of its input.
bool gathers_columns(const Graph& graph, const Node& node) {
  const Fact& x = graph.input_fact(node, 0);
  return x.concrete() && x.rank() > 0 && normalize_axis(node.spec.attr_or("axis", 0), x.rank()) == x.rank() - 1;
}

/// The Reshape that produces the first input without changing the last axis; else nullptr.
const Node* reshape_of_rows(const Graph& graph, const Node& node) {
  const Node* reshape = single_use(graph, node.inputs[0], "Reshape");
  const Fact* x = reshape ? &graph.input_fact(*reshape, 0) : nullptr;
  const bool keeps =
      x && x->concrete() && x->rank() > 0 && certainly_equal(x->dims->back(), graph.fact(node.inputs[0]).dims->back());
  return keeps && graph.fact(node.inputs[0]).shape().elements() > 0 ? reshape : nullptr;
}

/// The indices minus `first`. Common subexpressions are merged later if several nodes read the same indices.
ValueId add_shifted(Patch& patch, const Graph& graph, const Node& node, int64_t first) {
  const bool narrow = graph.input_fact(node, 1).dtype == DType::kInt32;
  const Tensor by = narrow ? Tensor::scalar(int32_t(first)) : Tensor::scalar(first);
  const ValueId shift = patch.constant(node.spec.name + ".first", by);
  return patch.add(standard_spec(node, "Sub", 13), {node.inputs[1], shift});
}

ValueId add_columns(Patch& patch, const Node& product, const Columns& columns) {
  const auto ints = [&](int64_t value) {
    return patch.constant(product.spec.name + ".columns", Tensor::of<int64_t>({value}));
  };
  return patch.add(standard_spec(product, "Slice", 13),
                   {product.inputs[1], ints(columns.first), ints(columns.first + columns.count), ints(-1)});
}

}  // namespace

// GatherElements(MatMul(a, b), i) -> GatherElements(MatMul(a, some columns of b), i - first), for constant indices
// along the last axis, possibly expanded, that refer to these columns only. A Reshape that keeps the columns may be in
// between. This applies to scores of relative positions in models that support more tokens than they get.
LINNET_DEFINE_REWRITE(narrow_gathered_product, "GatherElements")(const Graph& graph, const Node& node) {
  if (!gathers_columns(graph, node)) return std::nullopt;
  const Node* reshape = reshape_of_rows(graph, node);
  const Node* product = single_use(graph, reshape ? reshape->inputs[0] : node.inputs[0], "MatMul");
  if (!product || graph.input_fact(*product, 1).rank() < 2) return std::nullopt;
  const Node* expand = producer(graph, node, 1, "Expand");
  const Tensor& indices = graph.fact(expand ? expand->inputs[0] : node.inputs[1]).constant;
  Dims dims = *graph.fact(node.inputs[0]).dims;
  const int64_t all = dims.back().value();
  const auto columns = indices ? named_columns(indices, all) : std::nullopt;
  if (!columns || columns->count > all / 4 * 3) return std::nullopt;  // a copy of most of b would save little
  Patch patch(graph);
  ValueId y = patch.add(product->spec, {product->inputs[0], add_columns(patch, *product, *columns)});
  dims.back() = Dim(columns->count);
  if (reshape) y = add_reshape(patch, node, y, dims);
  patch.replace(node.outputs[0], patch.add(node.spec, {y, add_shifted(patch, graph, node, columns->first)}));
  return patch;
}

}  // namespace linnet
