#pragma once

#include <string>
#include <vector>

#include "linnet/op.h"

namespace linnet {

/// What Pad puts beside the input: one value, the input mirrored at its first and last elements, those elements, or
/// the input repeated.
enum class PadMode { kConstant, kReflect, kEdge, kWrap };

/// Throws Error(kModel) for another word than constant, reflect, edge, wrap.
PadMode pad_mode(const std::string& word);

/// Pads with `value` (one element of the dtype), or with the one element of input `value_input` where that is >= 0.
/// Axis d of the output begins begins[d] elements before the input; negative ones cut off.
KernelPtr make_constant_pad(DType dtype, const Shape& x, const Shape& y, const std::vector<int64_t>& begins,
                            const Tensor& value, int value_input);

/// Pads from the input itself. Throws Error(kShape) where there is nothing to repeat.
KernelPtr make_index_pad(DType dtype, const Shape& x, const Shape& y, const std::vector<int64_t>& begins, PadMode mode);

}  // namespace linnet
