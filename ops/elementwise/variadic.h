#pragma once

#include <algorithm>

#include "elementwise/elementwise.h"
#include "infer/infer.h"

namespace linnet {

/// An operator with one or more inputs of one dtype, all broadcast to one shape.
class VariadicOp : public Op {
 public:
  std::vector<Fact> infer(std::span<const Fact> in) const override {
    const int count = std::max(1, int(in.size()));
    require_inputs(in, count, count);
    for (const Fact& fact : in) require_same_dtype(in[0], fact, "every input");
    return {Fact(in[0].dtype, broadcast_dims(in))};
  }

  bool is_elementwise() const override { return true; }
};

/// Computes y = f(f(x0, x1), x2) ... of all inputs, then finish(y) if given. f is a loop of two operands, finish of
/// one, of the inputs' dtype, which must have whole bytes.
InnerLoop fold_loop(const CompileInput& in, InnerLoop f, InnerLoop finish = nullptr);

}  // namespace linnet
