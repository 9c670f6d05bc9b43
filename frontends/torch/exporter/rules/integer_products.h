#pragma once

#include "linnet/dtype.h"

namespace linnet::exporter {

/// The dtype that MatMul computes a product in: ONNX multiplies no matrices of integers below 32 bits, whose products
/// are those of int32 modulo 2^8 or 2^16.
inline DType multiplied(DType dtype) { return is_floating(dtype) || dtype == DType::kInt64 ? dtype : DType::kInt32; }

}  // namespace linnet::exporter
