#pragma once

#include <string>
#include <vector>

#include "linnet/node_spec.h"

namespace linnet {

/// A chain of float32 element-wise operations: operand i is input i of the chain, or the result of step i - inputs.
/// The last step's result is the chain's.
struct ElementwiseSteps {
  struct Step {
    std::string op;              ///< a name in the table of functions
    int64_t first, second = -1;  ///< operands; -1: none
    float alpha = 0, beta = 0;   ///< as the kernel of the operator takes them
  };

  int64_t inputs = 0;
  std::vector<Step> steps;

  ElementwiseSteps() = default;
  /// From attributes ops, first, second, alpha and beta, lists of one entry per step. Throws Error(kModel) for lists of
  /// other lengths, unknown operators and operands that do not exist yet.
  ElementwiseSteps(const NodeSpec& node, int64_t inputs);

  void write(NodeSpec& node) const;
};

/// The most inputs and steps of a chain.
inline constexpr int64_t kMostChainInputs = 8, kMostChainSteps = 12;

}  // namespace linnet
