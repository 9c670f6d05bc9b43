#pragma once

#include "linnet/op.h"
#include "quantization/scale_layout.h"

namespace linnet {

/// Return vectorised kernels of QuantizeLinear and DequantizeLinear (inputs x, scale, zero point), or nullptr if there
/// is no kernel for a dtype. The dtypes are:
/// - the float side: floats of 16 or 32 bits; int32 too for QuantizeLinear
/// - scales: floats of 16 or 32 bits
/// - the quantised side: integers of 8 and 16 bits; of 2, 4 and 32 bits too for DequantizeLinear
/// precision: the dtype of the quotients, a float of 16 or 32 bits.
KernelPtr quantize_to_integers(const CompileInput& in, const ScaleLayout& layout, DType precision);
KernelPtr dequantize_from_integers(const CompileInput& in, const ScaleLayout& layout);

}  // namespace linnet
