#include "rewrites/matching/row_part.h"

#include <algorithm>

#include "infer/infer.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

/// The only element of a constant input; `missing` if the node omits it.
std::optional<int64_t> one_int(const Graph& graph, const Node& node, int input, int64_t missing) {
  const Fact& fact = graph.input_fact(node, input);
  if (!fact.present()) return missing;
  const auto ints = constant_ints(fact);
  return ints && ints->size() == 1 ? std::optional((*ints)[0]) : std::nullopt;
}

std::optional<RowPart> sliced(const Graph& graph, const Node& slice, const Fact& x) {
  if (slice.spec.opset < 10) return std::nullopt;
  const int64_t size = x.dim(x.rank() - 1).value();
  const auto begin = one_int(graph, slice, 1, 0), end = one_int(graph, slice, 2, 0);
  const auto axis = one_int(graph, slice, 3, 0), step = one_int(graph, slice, 4, 1);
  if (!begin || !end || !axis || !step || *step < 1 || normalize_axis(*axis, x.rank()) != x.rank() - 1) {
    return std::nullopt;
  }
  const auto place = [&](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + size : i, 0, size); };
  return RowPart{slice.inputs[0], place(*begin), place(*end), *step};
}

std::optional<RowPart> split(const Graph& graph, const Node& node, ValueId value, const Fact& x) {
  if (normalize_axis(node.spec.attr_or("axis", 0), x.rank()) != x.rank() - 1) return std::nullopt;
  RowPart part{node.inputs[0]};
  for (const ValueId output : node.outputs) {
    const Fact& y = output == kNoValue ? Fact() : graph.fact(output);
    if (!y.has_rank() || y.rank() != x.rank() || !y.dim(y.rank() - 1).known()) return std::nullopt;
    part.begin = part.end;
    part.end += y.dim(y.rank() - 1).value();
    if (output == value) return part;
  }
  return std::nullopt;
}

}  // namespace

std::optional<RowPart> row_part(const Graph& graph, ValueId value) {
  const Node* node = graph.producer(value);
  if (!node || (!is_op(*node, "Slice") && !is_op(*node, "Split"))) return std::nullopt;
  const Fact& x = graph.input_fact(*node, 0);
  if (!x.has_rank() || x.rank() == 0 || !x.dim(x.rank() - 1).known()) return std::nullopt;
  return is_op(*node, "Slice") ? sliced(graph, *node, x) : split(graph, *node, value, x);
}

}  // namespace linnet
