#pragma once

#include <optional>

#include "graph/graph.h"

// The denominators of normalisations.
namespace linnet {

/// Sqrt(variance + epsilon), reduced over the axes from `axis` to the last.
struct Deviation {
  ValueId x = kNoValue;      ///< the value whose mean square or variance this is
  ValueId mean = kNoValue;   ///< of x, for Mean(x^2) - mean^2; kNoValue for Mean(x^2)
  NodeId square = kNoValue;  ///< computes x^2
  int axis = 0;
  float epsilon = 0;
};

/// The first of the trailing axes that a ReduceMean reduces, keeping dims; nullopt if it reduces other axes or drops
/// dims.
std::optional<int> first_reduced_axis(const Graph& graph, const Node& mean);

/// The deviation that a value holds; nullopt for other values. Only the pattern may read the value and its intermediate
/// values.
std::optional<Deviation> deviation_behind(const Graph& graph, ValueId value);

/// The deviation of a value that is 1 / deviation: a Reciprocal, a quotient or a power. Any node may read the value.
std::optional<Deviation> inverse_deviation(const Graph& graph, ValueId value);

}  // namespace linnet
