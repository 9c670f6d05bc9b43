#pragma once

#include <optional>
#include <span>

#include "linnet/fact.h"

namespace linnet {

/// What an Op is besides, if versions of it before opset 7 align the second of its two operands otherwise than by
/// NumPy's rules.
class AlignsOperands {
 public:
  /// The dims that the second operand needs for NumPy's rules: its own, and perhaps more behind them that are 1.
  /// nullopt where the facts of the inputs do not say.
  virtual std::optional<Dims> aligned_second(std::span<const Fact> in) const = 0;

 protected:
  ~AlignsOperands() = default;
};

}  // namespace linnet
