#pragma once

#include "linnet/dtype.h"

namespace linnet {

/// Returns the member of `kernels` for a dtype, or nullptr for dtypes that are not numbers. bool is treated as uint8.
template <class Kernels>
auto by_number(const Kernels& kernels, DType dtype) -> decltype(&kernels.f32) {
  switch (dtype) {
    case DType::kFloat32:
      return &kernels.f32;
    case DType::kFloat64:
      return &kernels.f64;
    case DType::kInt8:
      return &kernels.s8;
    case DType::kInt16:
      return &kernels.s16;
    case DType::kInt32:
      return &kernels.s32;
    case DType::kInt64:
      return &kernels.s64;
    case DType::kBool:
    case DType::kUint8:
      return &kernels.u8;
    case DType::kUint16:
      return &kernels.u16;
    case DType::kUint32:
      return &kernels.u32;
    case DType::kUint64:
      return &kernels.u64;
    default:
      return nullptr;
  }
}

}  // namespace linnet
