#pragma once

#include <vector>

#include "support/graph_builder.h"

namespace linnet::testing {

/// Expects that all rewrites together preserve the outputs, to 1e-4.
void expect_unchanged(const GraphBuilder& b, const std::vector<Tensor>& inputs);

/// Returns the operators of the optimised graph in order, for example "Conv Relu". Operators of the domain "linnet"
/// have a leading "+". A chain of element-wise operators is listed as its members.
std::string optimized_ops(const GraphBuilder& b);

}  // namespace linnet::testing
