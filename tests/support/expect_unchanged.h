#pragma once

#include <vector>

#include "support/graph_builder.h"

namespace linnet::testing {

/// Expects that all rewrites together keep the outputs, to 1e-4.
void expect_unchanged(const GraphBuilder& b, const std::vector<Tensor>& inputs);

/// "Conv Relu": the operators of the optimised graph in order, those of domain "linnet" with a leading "+"; a
/// chain of element-wise operators as those that it holds.
std::string optimized_ops(const GraphBuilder& b);

}  // namespace linnet::testing
