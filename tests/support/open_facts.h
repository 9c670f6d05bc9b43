#pragma once

#include <vector>

#include "linnet/op.h"
#include "linnet/tensor.h"

namespace linnet::testing {

/// Expects infer() to be right with less information: without the contents, dims or rank of each input and of all
/// inputs, the inferred facts must fit the outputs of the op for these inputs. Expects that it either accepts inputs of
/// another rank or throws an Error.
void expect_open_facts_fit(const Op& op, const std::vector<Fact>& inputs, const std::vector<Tensor>& outputs);

}  // namespace linnet::testing
