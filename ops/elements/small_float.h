#pragma once

#include <cstdint>

#include "linnet/dtype.h"

namespace linnet {

/// The rounding of values that are outside of a float8 format.
struct SmallFloatRounding {
  /// Values beyond the maximum become the maximum; otherwise infinity or, in formats without it, NaN.
  bool saturate = true;
  /// For float8e8m0: rounding to the power of two above, below, or nearest (ties up).
  enum class Mode { kUp, kDown, kNearest } mode = Mode::kUp;
};

/// Whether a dtype is a float8 or float6 format or float4e2m1.
bool is_small_float(DType dtype);
/// Whether a dtype is a small float of one byte, which can be read and written as bytes.
bool is_float8(DType dtype);

/// The value of a code.
/// Sources: https://onnx.ai/onnx/technical/float8.html, https://onnx.ai/onnx/technical/float4.html, and for float6
/// section 5.3 of https://www.opencompute.org/documents/ocp-microscaling-formats-mx-v1-0-spec-final-pdf
double decode_small_float(DType dtype, uint8_t code);

/// The code nearest to a value, ties to even (but see SmallFloatRounding::mode). float6 and float4e2m1 always saturate,
/// and convert NaN to -0, as the reference implementation does.
uint8_t encode_small_float(DType dtype, double value, const SmallFloatRounding& rounding);

}  // namespace linnet
