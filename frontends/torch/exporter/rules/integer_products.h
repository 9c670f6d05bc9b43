#pragma once

#include "linnet/dtype.h"

namespace linnet::exporter {

/// Returns the dtype that MatMul computes a product in. ONNX does not multiply matrices of integers below 32 bits;
/// their products equal those of int32 modulo 2^8 or 2^16.
inline DType multiplied(DType dtype) { return is_floating(dtype) || dtype == DType::kInt64 ? dtype : DType::kInt32; }

}  // namespace linnet::exporter
