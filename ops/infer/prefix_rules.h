#pragma once

#include "graph/prefix_graph.h"

// Rules for Op::prefix() that several operators share.
namespace linnet {

/// Carries a node that gives the elements of input 0 in their order under another shape, where there are as many
/// elements before the rows as there were.
bool carry_in_order(Prefix& prefix);

/// Adds a Gather of input 0 along an axis: of as many rows as output 0 has there, from `first` on.
ValueId gather_rows(PrefixGraph& graph, ValueId x, int axis, const Dim& first, int64_t rows);

/// Adds the node as it is, where its input 0 has zeros behind the rows in use: an input of the graph, or a Cast of one.
/// False, and nothing is done, where that is not known.
bool add_with_zeros(PrefixGraph& graph);

/// Whether the elements of a value, each of which belongs to a row, are the numbers of their rows: 0, 1, 2 and so on.
bool counts_rows(const PrefixGraph& graph, ValueId v);

}  // namespace linnet
