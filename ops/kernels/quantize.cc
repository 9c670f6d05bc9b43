#include "kernels/quantize.h"

namespace linnet {

const GridKernels* QuantizeKernels::grid(DType dtype) const {
  switch (dtype) {
    case DType::kUint8:
      return &u8;
    case DType::kInt8:
      return &s8;
    case DType::kUint16:
      return &u16;
    case DType::kInt16:
      return &s16;
    case DType::kInt32:
      return &s32;
    default:
      return nullptr;
  }
}

}  // namespace linnet
