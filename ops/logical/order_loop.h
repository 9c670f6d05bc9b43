#pragma once

#include "elementwise/elementwise.h"
#include "kernels/numbers.h"

namespace linnet {

/// A loop that calls the form for its operands.
inline InnerLoop order_loop(const NumberForms& forms) {
  return [forms](const Operand* x, void* y, int64_t n) {
    const void* const from[] = {x[0].data, x[1].data};
    (x[0].scalar ? forms.scalar_vector : x[1].scalar ? forms.vector_scalar : forms.vector_vector)(from, y, n);
  };
}

}  // namespace linnet
