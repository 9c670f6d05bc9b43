#pragma once

#include <optional>

#include "graph/graph.h"

// What normalisations divide by.
namespace linnet {

/// Sqrt(variance + epsilon), over the last axes from `axis` on.
struct Deviation {
  ValueId x = kNoValue;      ///< whose mean square, or variance, it is
  ValueId mean = kNoValue;   ///< of x, for Mean(x^2) - mean^2; none for Mean(x^2)
  NodeId square = kNoValue;  ///< the x^2
  int axis = 0;
  float epsilon = 0;
};

/// The axis from which on a ReduceMean reduces all, keeping dims; nullopt for any other.
std::optional<int> first_reduced_axis(const Graph& graph, const Node& mean);

/// The deviation that a value is; read, as what it is made of, by the pattern alone.
std::optional<Deviation> deviation_behind(const Graph& graph, ValueId value);

/// Likewise for a value that is 1 / deviation, a Reciprocal, a quotient or a power; who reads it is not asked.
std::optional<Deviation> inverse_deviation(const Graph& graph, ValueId value);

}  // namespace linnet
