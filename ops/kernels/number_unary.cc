#include "kernels/number_unary.h"

namespace linnet {

const KindFunctions* NumberUnaryKernels::kinds(DType dtype) const {
  switch (dtype) {
    case DType::kFloat16:
      return &f16;
    case DType::kBFloat16:
      return &bf16;
    case DType::kFloat32:
      return &f32;
    case DType::kFloat64:
      return &f64;
    default:
      return nullptr;
  }
}

const IntegerFunctions* NumberUnaryKernels::integers(DType dtype) const {
  switch (dtype) {
    case DType::kInt8:
      return &s8;
    case DType::kInt16:
      return &s16;
    case DType::kInt32:
      return &s32;
    case DType::kInt64:
      return &s64;
    default:
      return nullptr;
  }
}

}  // namespace linnet
