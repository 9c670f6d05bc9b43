#pragma once

#include "graph/graph.h"

namespace linnet {

/// The float32 product behind an input whose result can still be changed before it is stored: a channels-last Conv, a
/// MatMul or a Gemm that has no activation yet and that only this node reads; else nullptr.
const Node* product_before(const Graph& graph, const Node& node, int input);

}  // namespace linnet
