#pragma once

#include "graph/graph.h"

namespace linnet {

/// The float32 product behind an input whose result can still be changed before it is stored: a channels-last Conv or
/// DeformConv, a MatMul or a Gemm that has no activation or slope yet and that only this node reads; else nullptr.
const Node* product_before(const Graph& graph, const Node& node, int input);

/// The positions of a product's inputs, whatever its domain: the bias, and the residual that the internal one takes.
int bias_input(const Node& product);
int residual_input(const Node& product);

/// Whether a Gemm of constant weights is a linnet::MatMul by them, transposed where transB says so, and a constant
/// bias.
bool is_matmul(const Graph& graph, const Node& gemm);

/// Whether the channels-last Conv takes the slopes of a PRelu, its fifth input.
bool has_slope(const Node& conv);

}  // namespace linnet
