#include "kernels/numbers.h"

#include "kernels/by_number.h"

namespace linnet {

const OrderFunctions* NumberKernels::order(DType dtype) const { return by_number(*this, dtype); }

const WidthFunctions* NumberKernels::width(DType dtype) const {
  if (is_object(dtype)) return nullptr;
  switch (dtype_bits(dtype)) {
    case 8:
      return &bits8;
    case 16:
      return &bits16;
    case 32:
      return &bits32;
    case 64:
      return &bits64;
    default:
      return nullptr;
  }
}

}  // namespace linnet
