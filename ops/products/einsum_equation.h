#pragma once

#include <span>
#include <string>
#include <vector>

#include "linnet/fact.h"

namespace linnet {

/// One axis of an Einsum: a letter, or a dim of the ellipsis counted from the last one (-1, -2, ...).
using EinsumLabel = int;

/// An equation such as "bij,bjk->bik", with the ellipses written out for the operands' ranks.
struct EinsumLabels {
  std::vector<std::vector<EinsumLabel>> operands;
  std::vector<EinsumLabel> output;  ///< of these labels the result consists
  std::vector<EinsumLabel> summed;  ///< over these it is summed
};

/// Einsum's attribute `equation`.
class EinsumEquation {
 public:
  /// Throws Error(kModel) for text that is no equation.
  explicit EinsumEquation(const std::string& text);

  int operands() const { return int(terms_.size()); }
  /// Throws Error(kShape) where an operand's rank differs from its term's.
  EinsumLabels labels(std::span<const int> ranks) const;

 private:
  std::vector<std::string> terms_;  ///< letters and at most one '.' for an ellipsis
  std::string output_;
};

}  // namespace linnet
