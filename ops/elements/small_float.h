#pragma once

#include <cstdint>

#include "linnet/dtype.h"

namespace linnet {

/// How values outside of a float8 format are rounded into it.
struct SmallFloatRounding {
  /// Beyond the greatest value: that value; otherwise infinity or, in formats without one, NaN.
  bool saturate = true;
  /// For float8e8m0: to the power of two above, below, or nearest (ties up).
  enum class Mode { kUp, kDown, kNearest } mode = Mode::kUp;
};

/// True for the float8 and float6 formats and float4e2m1.
bool is_small_float(DType dtype);
/// True for those of a byte each, which can be read and written as bytes.
bool is_float8(DType dtype);

/// The value of a code.
/// Sources: https://onnx.ai/onnx/technical/float8.html, https://onnx.ai/onnx/technical/float4.html, and for float6
/// section 5.3 of https://www.opencompute.org/documents/ocp-microscaling-formats-mx-v1-0-spec-final-pdf
double decode_small_float(DType dtype, uint8_t code);

/// The code nearest to a value, ties to even (but see SmallFloatRounding::mode).
/// float6 and float4e2m1 always saturate and turn NaN into -0, as the reference implementation does.
uint8_t encode_small_float(DType dtype, double value, const SmallFloatRounding& rounding);

}  // namespace linnet
