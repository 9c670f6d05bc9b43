#pragma once

#include <span>
#include <vector>

#include "compile/model_resources.h"
#include "graph/graph.h"

namespace linnet {

/// Adds to what a node's operator infers of small integer outputs the elements that it knows: Op::element(),
/// Op::contents(), Op::moves(). An output all of whose elements are numbers becomes a constant.
///
/// Integers of a model have 32 or 64 bits, expressions have none. For int64 no run is expected to have sizes whose
/// arithmetic leaves 64 bits. An expression in int32 is kept, and it is learned that it is within 32 bits.
void infer_contents(const Node& node, std::span<const Fact> in, std::vector<Fact>& out,
                    const ModelResources& resources);

/// The fact with these elements, as far as its dtype holds them: a constant where all are numbers.
Fact with_contents(Fact fact, Dims elements);

}  // namespace linnet
