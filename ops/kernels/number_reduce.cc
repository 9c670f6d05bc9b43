#include "kernels/number_reduce.h"

namespace linnet {

const NumberExtremes* NumberReduceKernels::extremes(DType dtype) const {
  switch (dtype) {
    case DType::kFloat32:
      return &f32;
    case DType::kFloat64:
      return &f64;
    case DType::kInt8:
      return &s8;
    case DType::kInt16:
      return &s16;
    case DType::kInt32:
      return &s32;
    case DType::kInt64:
      return &s64;
    case DType::kBool:
    case DType::kUint8:
      return &u8;
    case DType::kUint16:
      return &u16;
    case DType::kUint32:
      return &u32;
    case DType::kUint64:
      return &u64;
    default:
      return nullptr;
  }
}

}  // namespace linnet
