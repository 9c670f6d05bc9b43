#pragma once

#include <optional>

#include "graph/graph.h"

namespace linnet {

/// Of every row of x, along its last axis, the elements begin, begin + step ... before end.
struct RowPart {
  ValueId x = kNoValue;
  int64_t begin = 0, end = 0, step = 1;
};

/// What a Slice with constant bounds or a Split takes of rows of known length; nullopt for any other value.
std::optional<RowPart> row_part(const Graph& graph, ValueId value);

}  // namespace linnet
