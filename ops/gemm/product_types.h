#pragma once

#include <array>

#include "linnet/dtype.h"

namespace linnet {

/// The dtypes of MatMul and Gemm.
inline constexpr std::array kProductTypes = {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16,
                                             DType::kInt32,   DType::kInt64,   DType::kUint32,  DType::kUint64};

}  // namespace linnet
