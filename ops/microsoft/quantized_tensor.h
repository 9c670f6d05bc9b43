#pragma once

#include <string>

#include "expansion/expanded_op.h"
#include "quantization/parameter.h"

// What the operators of com.microsoft share: a quantised tensor is three inputs in a row, the 8-bit integers, a float32
// scale and a zero point of their dtype, 0 where omitted. Scales are positive and finite, else an error where they are
// constant.
namespace linnet {

/// How many scales and zero points there are: one, or one for each index of an axis as well.
enum class Granularity { kTensor, kAxis };

/// Throws Error(kModel) when an input that the operator needs is omitted.
void require_given(const Expansion& graph, size_t input, const std::string& name);
/// Checks that an input is given and is int8 or uint8.
void require_bytes(const Expansion& graph, size_t input, const std::string& name);
/// Checks a scale and the zero point behind it, which may be omitted and is otherwise of this dtype; `name` is what
/// they belong to.
void check_scale(Expansion& graph, size_t scale, size_t zero_point, DType dtype, const std::string& name,
                 Granularity granularity = Granularity::kTensor);

/// The float32 values of the quantised tensor that begins at this input.
ValueId dequantized(Expansion& graph, size_t input, const std::string& name);
ValueId dequantized(Expansion& graph, size_t input, const std::string& name, int64_t axis);
/// y quantised to a dtype by the scale at this input and the zero point behind it.
ValueId quantized(Expansion& graph, ValueId y, size_t scale, DType dtype, const std::string& name);

/// The value with the channels moved from the last dim to the second, and back.
ValueId channels_first(GraphWriter& graph, ValueId x, int rank);
ValueId channels_last(GraphWriter& graph, ValueId x, int rank);

}  // namespace linnet
