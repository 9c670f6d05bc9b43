#pragma once

#include "graph/prefix_graph.h"

// Rules for Op::prefix() that several operators share.
namespace linnet {

/// Carries a node that, like Reshape, gives the elements of input 0 another shape in the same order. The number of
/// elements before the rows must be equal in input and output.
bool carry_in_order(Prefix& prefix);

/// Adds a Gather of input 0 along an axis. It takes `rows` rows from `first` on. Returns kNoValue if the indices cannot
/// be expressed.
ValueId gather_rows(PrefixGraph& graph, ValueId x, int axis, const Dim& first, int64_t rows);

/// Adds the node unchanged if its input 0 has zeros after the rows in use: a graph input, or a Cast of one. Returns
/// false and adds nothing if that is not known.
bool add_with_zeros(PrefixGraph& graph);

/// Whether each row's element of a value is the number of the row: 0, 1, 2 and so on.
bool counts_rows(const PrefixGraph& graph, ValueId v);

}  // namespace linnet
