#pragma once

#include "quantizer/form_writer.h"
#include "quantizer/placement.h"

namespace linnet {

/// Which layers of a float graph are quantised, and on which grids their activations are (QuantizeMode::kStatic).
struct QuantizedParts {
  std::vector<Layer> layers;
  Placement placement;
  std::vector<ActivationGrid> grids;  ///< of the placement's groups

  /// nullptr for a value that stays in floats.
  const ActivationGrid* grid(ValueId value) const;
};

/// The graph with these layers in their quantised form; names stay.
Graph quantized_graph(const Graph& graph, const QuantizedParts& parts, const QuantizeOptions& options);

/// The graph with a quantised copy of each layer beside it that reads the same float values, and the values to compare:
/// of each layer the float output, then that of the copy.
struct LayerPairs {
  Graph graph;
  std::vector<ValueId> values;
};
LayerPairs layer_pairs(const Graph& graph, const QuantizedParts& parts, const QuantizeOptions& options);

}  // namespace linnet
