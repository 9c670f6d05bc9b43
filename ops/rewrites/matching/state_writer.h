#pragma once

#include <optional>
#include <vector>

#include "graph/rewrite.h"

namespace linnet {

/// The node that gives a state its new rows.
struct StateWriter {
  const Node* node = nullptr;
  ValueId rows = kNoValue;            ///< the new ones
  ValueId begins = kNoValue;          ///< where each sample's are written; kNoValue: behind the past
  Dim length;                         ///< of the state with them
  std::vector<const Node*> shapes{};  ///< nodes that read the shape of that
};

/// Concat(past, rows), or TensorScatter(Pad(past), rows, begins) where Pad adds rows behind the past. Nothing else
/// reads the past, but for its shape.
std::optional<StateWriter> state_writer(const Graph& graph, const GrowingState& state);

/// Attention(q, k, v, mask, past_key, past_value) -> Attention(q, Concat(past_key, k), Concat(past_value, v), mask),
/// its queries at the positions from `rows` on, the length of the past of each sample. nullopt where it gives scores,
/// too.
std::optional<Patch> concat_past(const Graph& graph, const Node& attention, ValueId rows);

}  // namespace linnet
