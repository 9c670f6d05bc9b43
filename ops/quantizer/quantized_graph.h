#pragma once

#include "quantizer/form_writer.h"
#include "quantizer/placement.h"

namespace linnet {

/// The layers of a float graph that are quantised, and the grids of their activations (QuantizeMode::kStatic).
struct QuantizedParts {
  std::vector<Layer> layers;
  Placement placement;
  std::vector<ActivationGrid> grids;  ///< The grids of the placement's groups.

  /// Returns nullptr for a value that stays in floats.
  const ActivationGrid* grid(ValueId value) const;
};

/// Returns the graph with these layers in their quantised form. Names are unchanged.
Graph quantized_graph(const Graph& graph, const QuantizedParts& parts, const QuantizeOptions& options);

/// A graph in which each layer has a quantised copy that reads the same float values, and the values to compare: for
/// each layer, its float output, then that of the copy.
struct LayerPairs {
  Graph graph;
  std::vector<ValueId> values;
};
LayerPairs layer_pairs(const Graph& graph, const QuantizedParts& parts, const QuantizeOptions& options);

}  // namespace linnet
