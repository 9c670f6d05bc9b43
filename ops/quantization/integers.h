#pragma once

#include "linnet/op.h"
#include "quantization/scale_layout.h"

namespace linnet {

/// Vectorised kernels of QuantizeLinear and DequantizeLinear (x, scale, zero point): of floats of 16 and 32 bits, and
/// of int32 where it is quantised; scales of such floats; integers of 8 and 16 bits, and of 2, 4 and 32 bits where they
/// are dequantised. nullptr for other dtypes. precision: that of quotients, a float of 16 or 32 bits.
KernelPtr quantize_to_integers(const CompileInput& in, const ScaleLayout& layout, DType precision);
KernelPtr dequantize_from_integers(const CompileInput& in, const ScaleLayout& layout);

}  // namespace linnet
