#pragma once

#include <span>
#include <string>
#include <vector>

#include "linnet/fact.h"

namespace linnet {

/// One axis of an Einsum: a letter, or a dim of the ellipsis counted from the last one (-1, -2, ...).
using EinsumLabel = int;

/// The axes of an equation such as "bij,bjk->bik", with the ellipses expanded for the operands' ranks.
struct EinsumLabels {
  std::vector<std::vector<EinsumLabel>> operands;
  std::vector<EinsumLabel> output;  ///< the labels of the result
  std::vector<EinsumLabel> summed;  ///< the labels that are summed over
};

/// Einsum's attribute `equation`.
class EinsumEquation {
 public:
  /// If the text is not an equation, throws Error(kModel).
  explicit EinsumEquation(const std::string& text);

  int operands() const { return int(terms_.size()); }
  /// If an operand's rank differs from its term's, throws Error(kShape).
  EinsumLabels labels(std::span<const int> ranks) const;

 private:
  std::vector<std::string> terms_;  ///< letters and at most one '.' for an ellipsis
  std::string output_;
};

}  // namespace linnet
