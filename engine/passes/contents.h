#pragma once

#include <span>
#include <vector>

#include "compile/model_resources.h"
#include "graph/graph.h"

namespace linnet {

/// Adds to what a node's operator infers of small integer outputs the elements that it knows: Op::element(),
/// Op::contents(), Op::moves(). An output all of whose elements are numbers becomes a constant.
///
/// Integers of a model have 32 or 64 bits and wrap, expressions do neither. An element that may leave its dtype is
/// unknown, unless each binding is checked for it (DimScope).
void infer_contents(const Node& node, std::span<const Fact> in, std::vector<Fact>& out,
                    const ModelResources& resources);

/// The fact with these elements, as far as its dtype holds them: a constant where all are numbers.
Fact with_contents(Fact fact, Dims elements);

}  // namespace linnet
