#pragma once

#include "graph/graph.h"

namespace linnet {

/// The float32 product that produces an input, if its result can still be changed before it is stored; else nullptr. It
/// is a channels-last Conv or DeformConv, a MatMul or a Gemm, has no activation or slope yet, and only this node reads
/// its result.
const Node* product_before(const Graph& graph, const Node& node, int input);

/// The positions of the bias, and of the residual of internal products, among a product's inputs, whatever its domain.
int bias_input(const Node& product);
int residual_input(const Node& product);

/// Whether a Gemm with constant weights is equivalent to a linnet::MatMul by them (transposed if transB is set) with a
/// constant bias or none.
bool is_matmul(const Graph& graph, const Node& gemm);

/// Whether a channels-last Conv has slopes of a PRelu, its fifth input.
bool has_slope(const Node& conv);

}  // namespace linnet
