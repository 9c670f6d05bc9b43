#pragma once

#include <string>
#include <vector>

#include "linnet/op.h"

namespace linnet {

/// What Pad adds around the input: one value, the input mirrored at its first and last elements, those elements, or the
/// input repeated.
enum class PadMode { kConstant, kReflect, kEdge, kWrap };

/// Throws Error(kModel) for a word other than constant, reflect, edge, wrap.
PadMode pad_mode(const std::string& word);

/// Returns a kernel that pads with `value` (one element of the dtype), or with the one element of input `value_input`
/// if that is >= 0. Axis d of the output begins begins[d] elements before the input; a negative number crops the input.
KernelPtr make_constant_pad(DType dtype, const Shape& x, const Shape& y, const std::vector<int64_t>& begins,
                            const Tensor& value, int value_input);

/// Returns a kernel that pads from the input itself. Throws Error(kShape) if there is nothing to repeat.
KernelPtr make_index_pad(DType dtype, const Shape& x, const Shape& y, const std::vector<int64_t>& begins, PadMode mode);

}  // namespace linnet
