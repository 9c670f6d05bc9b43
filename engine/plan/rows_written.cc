#include "plan/rows_written.h"

#include <algorithm>

namespace linnet {
namespace {

/// Whether the dims are those of a state, apart from that axis, along which they are a number.
bool are_rows(const Fact& fact, const Fact& state, int axis) {
  if (fact.dtype != state.dtype || !fact.concrete() || fact.rank() != state.rank()) return false;
  for (int d = 0; d < fact.rank(); ++d) {
    if (d != axis && !certainly_equal(fact.dim(d), state.dim(d))) return false;
  }
  return true;
}

}  // namespace

std::optional<int64_t> rows_written(const Graph& graph, ValueId state, ValueId output, int axis) {
  const Node* node = graph.producer(output);
  const Fact& fact = graph.fact(state);
  if (!node || axis < 0 || !fact.has_rank() || std::ranges::count(node->inputs, state) != 1) return std::nullopt;
  std::optional<int64_t> rows;
  for (const ValueId v : node->inputs) {
    if (v == kNoValue || v == state || !are_rows(graph.fact(v), fact, axis)) continue;
    if (rows) return std::nullopt;
    rows = graph.fact(v).dim(axis).value();
  }
  return rows;
}

}  // namespace linnet
