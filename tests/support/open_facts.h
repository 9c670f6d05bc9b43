#pragma once

#include <vector>

#include "linnet/op.h"
#include "linnet/tensor.h"

namespace linnet::testing {

/// Expects infer() to be right where less is known: without the contents, dims or rank of each of the inputs and of all
/// of them, its facts fit the outputs that the op has for these inputs. And that what it does with inputs of another
/// rank is to take them or to throw an Error.
void expect_open_facts_fit(const Op& op, const std::vector<Fact>& inputs, const std::vector<Tensor>& outputs);

}  // namespace linnet::testing
