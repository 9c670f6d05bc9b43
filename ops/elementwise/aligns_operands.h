#pragma once

#include <optional>
#include <span>

#include "linnet/fact.h"

namespace linnet {

/// An additional base of an Op whose versions before opset 7 align the second of two operands other than by NumPy's
/// rules.
class AlignsOperands {
 public:
  /// The dims that the second operand needs for NumPy's rules: its own, perhaps followed by dims of 1. nullopt if the
  /// facts of the inputs do not determine them.
  virtual std::optional<Dims> aligned_second(std::span<const Fact> in) const = 0;

 protected:
  ~AlignsOperands() = default;
};

}  // namespace linnet
