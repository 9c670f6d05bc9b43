#pragma once

#include "elements/wrapping_arithmetic.h"
#include "elementwise/elementwise.h"
#include "infer/infer.h"
#include "linnet/op.h"

namespace linnet {

/// An operator of one input whose output has the input's dtype and shape.
class UnaryOp : public Op {
 public:
  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    return same_as(in[0]);
  }

  bool is_elementwise() const override { return true; }
};

}  // namespace linnet
