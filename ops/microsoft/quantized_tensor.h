#pragma once

#include <string>

#include "expansion/expanded_op.h"
#include "quantization/parameter.h"

// Common helpers of the operators of com.microsoft. A quantised tensor is three consecutive inputs: 8-bit integers, a
// float32 scale, and a zero point of their dtype, 0 if omitted. Constant scales must be positive and finite.
namespace linnet {

/// The number of scales and zero points: only one, or alternatively one per index of an axis.
enum class Granularity { kTensor, kAxis };

/// Throws Error(kModel) if a required input is omitted.
void require_given(const Expansion& graph, size_t input, const std::string& name);
/// Checks that an input is given and is int8 or uint8.
void require_bytes(const Expansion& graph, size_t input, const std::string& name);
/// Checks a scale and its zero point, which may be omitted and is otherwise of this dtype; `name` is the tensor that
/// they belong to.
void check_scale(Expansion& graph, size_t scale, size_t zero_point, DType dtype, const std::string& name,
                 Granularity granularity = Granularity::kTensor);

/// The float32 values of the quantised tensor that begins at this input.
ValueId dequantized(Expansion& graph, size_t input, const std::string& name);
ValueId dequantized(Expansion& graph, size_t input, const std::string& name, int64_t axis);
/// The same with the channels moved from the last dim to the second, while they are bytes.
ValueId dequantized_channels_first(Expansion& graph, size_t input, const std::string& name, int rank);
/// y quantised to a dtype by the scale at this input and the zero point after it.
ValueId quantized(Expansion& graph, ValueId y, size_t scale, DType dtype, const std::string& name);

/// Moves the channels from the last dim to the second, and back.
ValueId channels_first(GraphWriter& graph, ValueId x, int rank);
ValueId channels_last(GraphWriter& graph, ValueId x, int rank);

}  // namespace linnet
