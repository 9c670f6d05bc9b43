#include <optional>

#include "infer/infer.h"
#include "rewrites/define_rewrite.h"
#include "rewrites/matching/heads.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/reshape_nodes.h"
#include "rewrites/matching/row_part.h"

namespace linnet {
namespace {

/// The rotated(x) of x * cos + rotated(x) * sin.
struct Rotated {
  ValueId x;
  bool interleaved;
};

bool joins_rows(const Graph& graph, const Node& concat) {
  const Fact& y = graph.fact(concat.outputs[0]);
  return concat.inputs.size() == 2 && y.has_rank() &&
         normalize_axis(concat.spec.attr_or("axis", 0), y.rank()) == y.rank() - 1;
}

std::optional<RowPart> negated_part(const Graph& graph, ValueId value) {
  const Node* neg = graph.producer(value);
  return neg && is_op(*neg, "Neg") ? row_part(graph, neg->inputs[0]) : std::nullopt;
}

// Recognises Concat(-x2, x1), where x is Concat(x1, x2).
std::optional<Rotated> halves(const Graph& graph, const Node& node) {
  if (!is_op(node, "Concat") || !joins_rows(graph, node)) return std::nullopt;
  const auto second = negated_part(graph, node.inputs[0]), first = row_part(graph, node.inputs[1]);
  if (!first || !second || first->x != second->x || first->step != 1 || second->step != 1) return std::nullopt;
  const Fact& x = graph.fact(first->x);
  const int64_t size = x.dim(x.rank() - 1).value();
  const bool matches =
      first->begin == 0 && first->end == second->begin && second->end == size && first->end == size - first->end;
  return matches ? std::optional(Rotated{first->x, false}) : std::nullopt;
}

/// The input of an Unsqueeze that appends an axis, or of an equivalent Reshape; else kNoValue.
ValueId inside_last_unsqueeze(const Graph& graph, ValueId value) {
  const Node* node = graph.producer(value);
  if (!is_reshape(node)) return kNoValue;
  const Fact &x = graph.input_fact(*node, 0), &y = graph.fact(value);
  if (!x.dims || !y.dims || y.rank() != x.rank() + 1) return kNoValue;
  Dims dims = *x.dims;
  dims.push_back(Dim(1));
  return certainly_equal(dims, *y.dims) ? node->inputs[0] : kNoValue;
}

// Recognises Reshape(Concat(-x2, x1)) for every pair of neighbours x1, x2.
std::optional<Rotated> pairs(const Graph& graph, const Node& node) {
  const Node* concat = is_reshape(&node) ? producer(graph, node, 0, "Concat") : nullptr;
  if (!concat || !joins_rows(graph, *concat)) return std::nullopt;
  const ValueId minus_second = inside_last_unsqueeze(graph, concat->inputs[0]);
  const ValueId first_value = inside_last_unsqueeze(graph, concat->inputs[1]);
  if (minus_second == kNoValue || first_value == kNoValue) return std::nullopt;
  const auto second = negated_part(graph, minus_second), first = row_part(graph, first_value);
  if (!first || !second || first->x != second->x || first->step != 2 || second->step != 2) return std::nullopt;
  const Fact& x = graph.fact(first->x);
  const int64_t size = x.dim(x.rank() - 1).value();
  const bool matches = first->begin == 0 && second->begin == 1 && first->end >= size - 1 && second->end == size &&
                       size % 2 == 0 && same_dims(x, graph.fact(node.outputs[0]));
  return matches ? std::optional(Rotated{first->x, true}) : std::nullopt;
}

std::optional<Rotated> rotated(const Graph& graph, ValueId value) {
  const Node* node = graph.producer(value);
  if (!node) return std::nullopt;
  const auto found = halves(graph, *node);
  return found ? found : pairs(graph, *node);
}

/// The parts of x * cos + rotated(x) * sin.
struct Rotation {
  ValueId x, cos, sin;
  bool interleaved;
};

std::optional<Rotation> rotation_of(const Graph& graph, const Node& add) {
  for (size_t i = 0; i < 2; ++i) {
    const Node *straight = producer(graph, add, int(i), "Mul"), *turned = producer(graph, add, int(1 - i), "Mul");
    for (size_t j = 0; straight && turned && j < 2; ++j) {
      const auto found = rotated(graph, turned->inputs[j]);
      const ValueId cos = found ? other_input(*straight, found->x) : kNoValue;
      if (cos != kNoValue) return Rotation{found->x, cos, turned->inputs[1 - j], found->interleaved};
    }
  }
  return std::nullopt;
}

/// The dims of the angles, broadcast to rank 4.
std::optional<Dims> broadcast(const Fact& angles) {
  if (angles.dtype != DType::kFloat32 || !angles.has_rank() || angles.rank() < 2 || angles.rank() > 4)
    return std::nullopt;
  Dims dims(size_t(4 - angles.rank()), Dim(1));
  dims.insert(dims.end(), angles.dims->begin(), angles.dims->end());
  return dims;
}

/// The axis of the heads that share angles: 1 in [batch, heads, length, size], 2 in [batch, length, heads, size].
std::optional<int> heads_axis(const Fact& angles, const Fact& x) {
  const auto dims = broadcast(angles);
  const auto same = [&](int axis, const Dim& dim) { return certainly_equal((*dims)[size_t(axis)], dim); };
  const bool fits = dims && (same(0, 1) || same(0, x.dim(0))) && same(3, x.dim(3));
  for (const int axis : {1, 2}) {
    const int length = 3 - axis;
    if (fits && same(axis, 1) && same(length, x.dim(length))) return axis;
  }
  return std::nullopt;
}

/// Reshapes the angles to [batch or 1, length, size].
ValueId add_caches(Patch& patch, const Graph& graph, const Node& node, ValueId angles, int axis) {
  const int rank = graph.fact(angles).rank();
  if (rank == 3 && axis == 1) return angles;
  const bool adds = rank == 2;
  const ValueId axes = patch.constant(node.spec.name + ".axes", Tensor::of<int64_t>({adds ? 0 : axis - (4 - rank)}));
  const ValueId moved = patch.add(standard_spec(node, adds ? "Unsqueeze" : "Squeeze", 13), {angles, axes});
  if (rank != 3) return moved;
  const ValueId batch = patch.constant(node.spec.name + ".axes", Tensor::of<int64_t>({0}));
  return patch.add(standard_spec(node, "Unsqueeze", 13), {moved, batch});
}

}  // namespace

// x * cos + Concat(-x2, x1) * sin, where x1 and x2 are the halves of each row of x, or its even and odd elements ->
// linnet::RotaryEmbedding(x, cos, sin), for float32 x of [batch, heads, length, size] or [batch, length, heads, size]
// and angles that all heads share.
// Source: Su et al., arXiv:2104.09864.
LINNET_DEFINE_REWRITE(recognize_rotary_embedding, "Add")(const Graph& graph, const Node& node) {
  const auto found = rotation_of(graph, node);
  if (!found) return std::nullopt;
  const Fact &x = graph.fact(found->x), &cos = graph.fact(found->cos);
  const bool fits = x.has_rank() && x.rank() == 4 && same_shape(x, graph.fact(node.outputs[0])) &&
                    same_shape(cos, graph.fact(found->sin));
  const auto axis = fits ? heads_axis(cos, x) : std::nullopt;
  if (!axis) return std::nullopt;
  NodeSpec spec = internal_spec(node, "RotaryEmbedding");
  if (found->interleaved) spec.attributes["interleaved"] = int64_t{1};
  if (*axis == 2) spec.attributes[kHeadsSideBySide] = int64_t{1};
  Patch patch(graph);
  const ValueId cos_cache = add_caches(patch, graph, node, found->cos, *axis);
  patch.replace(node.outputs[0],
                patch.add(spec, {found->x, cos_cache, add_caches(patch, graph, node, found->sin, *axis)}));
  return patch;
}

}  // namespace linnet
