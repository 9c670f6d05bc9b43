#pragma once

#include "kernels/forms.h"

namespace linnet {

/// Element-wise float32 operations. The result for an element does not depend on its position.
struct BinaryKernels {
  BinaryForms add;
  BinaryForms sub;
  BinaryForms mul;
  BinaryForms div;
  BinaryForms max;    ///< NaN where either operand is NaN
  BinaryForms min;    ///< NaN where either operand is NaN
  BinaryForms prelu;  ///< a < 0 ? a b : a
  BinaryForms pow;    ///< a^b within 1 unit in the last place
};

}  // namespace linnet
