#pragma once

#include <optional>

#include "graph/graph.h"

namespace linnet {

/// The real value of a byte: (byte - zero_point) * scale.
struct ByteGrid {
  DType dtype;  ///< uint8 or int8
  float scale;  ///< positive and finite
  float zero_point;

  bool operator==(const ByteGrid&) const = default;
};

/// The grid of a QuantizeLinear or DequantizeLinear between float32 and bytes whose scale and zero point are constants
/// of one element; nullopt for other nodes.
std::optional<ByteGrid> byte_grid(const Graph& graph, const Node& node);

}  // namespace linnet
