#pragma once

#include <array>
#include <span>

#include "linnet/op.h"

// Scales and zero points of matrices: one for the matrix, or one for each row or column.
namespace linnet {

/// The dtypes of quantised bytes.
inline constexpr std::array kByteTypes{DType::kInt8, DType::kUint8};

/// The position of an element's parameter: matrix * m + row * i + column * j.
struct ParameterIndex {
  int64_t matrix = 0, row = 0, column = 0;

  int64_t at(int64_t m, int64_t i, int64_t j) const { return matrix * m + row * i + column * j; }
};

enum class ParameterAxis { kRow, kColumn };

/// Returns the index of a parameter of `shape` for matrices [batch..., rows, columns]. A vector is a row, or a column
/// with kColumn. The shape is one of:
/// - one element for all
/// - [rows] or [columns]
/// - [batch..., rows, 1] or [batch..., 1, columns]
/// Throws Error(kShape) for other shapes.
/// Source: https://onnx.ai/onnx/operators/onnx__QLinearMatMul.html
ParameterIndex parameter_index(const Shape& matrices, const Shape& shape, ParameterAxis axis, const char* name);

/// Whether the parameter is known to have one element, which applies to all.
inline bool holds_one(const Fact& fact) { return fact.concrete() && fact.shape().elements() == 1; }

/// Element i of a tensor of 8-bit integers.
int32_t byte_at(const Tensor& tensor, int64_t i);
/// Element i of a tensor of float32, float16, bfloat16 or float8.
float float_at(const Tensor& tensor, int64_t i);

/// Checks that a parameter of a convolution has one element, or one for each of `channels` if per_channel.
void check_channel_parameter(const Fact& parameter, const Dim& channels, bool per_channel, const char* name);

/// Checks that a scale is float32, float16, bfloat16 or float8. If it is constant, all its elements must be positive
/// and finite.
void require_positive(const Fact& scale, const std::string& what);

/// Checks a scale and its zero point:
/// - They have the same shape, or one of them has one element.
/// - The dtypes of `zero_point` and the tensor are equal.
/// - The scale is float32, float16 or bfloat16.
void check_parameters(const Fact& tensor, const Fact& scale, const Fact& zero_point, const char* name);

}  // namespace linnet
