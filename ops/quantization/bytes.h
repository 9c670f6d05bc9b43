#pragma once

#include "linnet/op.h"
#include "quantization/scale_layout.h"

namespace linnet {

/// Vectorised kernels of QuantizeLinear and DequantizeLinear (x, scale, zero point) between float32 and 8-bit integers
/// with float32 scales; nullptr for other dtypes.
KernelPtr quantize_to_bytes(const CompileInput& in, const ScaleLayout& layout);
KernelPtr dequantize_from_bytes(const CompileInput& in, const ScaleLayout& layout);

}  // namespace linnet
