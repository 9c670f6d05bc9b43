#pragma once

#include <c10/core/ScalarType.h>

namespace linnet::exporter {

/// The dtype that MatMul computes a product in: ONNX multiplies no matrices of integers below 32 bits, whose products
/// are those of int32 modulo 2^8 or 2^16.
inline at::ScalarType multiplied(at::ScalarType dtype) {
  return at::isFloatingType(dtype) || dtype == at::kLong ? dtype : at::kInt;
}

}  // namespace linnet::exporter
