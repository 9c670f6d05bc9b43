#pragma once

#include <array>
#include <string>
#include <string_view>

#include "elements/wide.h"

// Conversions between numbers and text as in ONNX's Cast.
// Source: https://onnx.ai/onnx/operators/onnx__Cast.html
namespace linnet {

/// Parses a number in plain or scientific notation; for kReal also "INF" and "NaN" in any case, with an optional sign.
/// Integers may have a fraction, which is dropped. "True" and "False" in any case are 1 and 0. Ignores white space
/// around the text. Throws Error(kModel) for any other text.
Wide number_from_text(const std::string& text, WideKind kind);

/// Memory for the text of a number.
using NumberText = std::array<char, 64>;

/// The shortest text that reads back as the same number of this dtype; booleans as "True" and "False".
std::string_view text_of_number(const Wide& value, DType dtype, NumberText& memory);

}  // namespace linnet
