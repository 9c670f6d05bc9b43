#pragma once

#include <algorithm>
#include <array>

#include "linnet/tensor.h"

namespace linnet {

/// The dtypes of MatMul and Gemm.
inline constexpr std::array kProductTypes = {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16,
                                             DType::kInt32,   DType::kInt64,   DType::kUint32,  DType::kUint64};

/// The dtypes of weights by which float32 is multiplied: float32, and those that products widen where they are
/// constant.
inline constexpr std::array kWeightTypes = {
    DType::kFloat32,
#define LINNET_GEMM_WEIGHTS(name, B) dtype_of<B>,
#include "kernels/gemm_weights.inc"
#undef LINNET_GEMM_WEIGHTS
};
constexpr bool is_weight_type(DType dtype) { return std::ranges::find(kWeightTypes, dtype) != kWeightTypes.end(); }
constexpr bool is_widened_type(DType dtype) { return dtype != DType::kFloat32 && is_weight_type(dtype); }

}  // namespace linnet
