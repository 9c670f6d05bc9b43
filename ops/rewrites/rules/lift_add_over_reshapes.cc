#include <optional>

#include "rewrites/define_rewrite.h"
#include "rewrites/matching/arithmetic_nodes.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/reshape_nodes.h"

namespace linnet {
namespace {

/// The shapes of a summand of `view` so that it can be added to x instead, each of whose axes is one or several axes of
/// the view.
struct Regrouped {
  std::vector<int64_t> expanded, grouped;
};

/// Expands groups of axes along which the summand varies; those along which it is broadcast stay 1.
std::optional<Regrouped> regrouped(const Shape& view, const Shape& x, const Shape& summand) {
  const auto of_summand = [&](int axis) {
    const int own = axis - (view.rank() - summand.rank());
    return own < 0 ? int64_t{1} : summand[own];
  };
  Regrouped result;
  int axis = 0;
  for (const int64_t size : x) {
    const int first = axis;
    int64_t count = 1;
    bool varies = false;
    do {
      if (axis == view.rank()) return std::nullopt;
      count = checked_mul(count, view[axis]);
      varies |= of_summand(axis++) != 1;
    } while (count < size);
    if (count != size) return std::nullopt;
    const bool alone = axis == first + 1;
    for (int i = first; i < axis; ++i) result.expanded.push_back(varies && !alone ? view[i] : of_summand(i));
    result.grouped.push_back(alone ? of_summand(first) : varies ? count : 1);
  }
  if (axis != view.rank()) return std::nullopt;
  return result;
}

}  // namespace

// Reshape(Add(Reshape(x), m)) -> Add(x, Reshape(Expand(m))), if the result has the shape of x, and the Add only sees an
// axis of x as several: masks of windows, which are equal for all images.
LINNET_DEFINE_REWRITE(lift_add_over_reshapes, "Reshape")(const Graph& graph, const Node& node) {
  const Node* add = single_use(graph, node.inputs[0], "Add");
  if (!add || graph.is_output(node.outputs[0])) return std::nullopt;
  for (size_t i = 0; i < 2; ++i) {
    const Node* split = single_use(graph, add->inputs[i], "Reshape");
    const ValueId summand = add->inputs[1 - i];
    if (!split || !graph.fact(summand).concrete()) continue;
    const Fact &x = graph.input_fact(*split, 0), &view = graph.fact(add->outputs[0]);
    if (!same_dims(x, graph.fact(node.outputs[0])) || !same_dims(graph.fact(split->outputs[0]), view)) continue;
    if (!x.concrete() || x.shape().elements() == 0) continue;
    const auto groups = regrouped(view.shape(), x.shape(), graph.fact(summand).shape());
    if (!groups) continue;
    Patch patch(graph);
    const ValueId shape = patch.constant(node.spec.name + ".expanded", Tensor::of<int64_t>(groups->expanded));
    const ValueId expanded = patch.add(standard_spec(node, "Expand", 13), {summand, shape});
    const ValueId m = add_reshape(patch, node, expanded, groups->grouped);
    patch.replace(node.outputs[0], patch.add(add->spec, {split->inputs[0], m}));
    return patch;
  }
  return std::nullopt;
}

}  // namespace linnet
