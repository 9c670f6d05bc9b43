#pragma once

#include <span>
#include <vector>

#include "compile/model_resources.h"
#include "graph/graph.h"

namespace linnet {

/// Adds the known elements of small integer outputs to the inferred facts of a node's outputs, by Op::element(),
/// Op::contents() and Op::moves(). An output whose elements are all numbers becomes a constant.
///
/// Integers of a model have 32 or 64 bits and wrap around; expressions do neither. An element that may leave the range
/// of its dtype is therefore unknown, unless each binding is checked for it (DimScope).
void infer_contents(const Node& node, std::span<const Fact> in, std::vector<Fact>& out,
                    const ModelResources& resources);

/// The fact with these elements, as far as its dtype can represent them; a constant if all are numbers.
Fact with_contents(Fact fact, Dims elements);

}  // namespace linnet
