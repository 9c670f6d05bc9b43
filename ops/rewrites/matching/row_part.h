#pragma once

#include <optional>

#include "graph/graph.h"

namespace linnet {

/// The elements begin, begin + step, ... before end of every row (last axis) of x.
struct RowPart {
  ValueId x = kNoValue;
  int64_t begin = 0, end = 0, step = 1;
};

/// The part of rows of known length that a Slice with constant bounds or a Split selects; nullopt for any other value.
std::optional<RowPart> row_part(const Graph& graph, ValueId value);

}  // namespace linnet
