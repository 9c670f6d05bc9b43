#pragma once

#include <array>
#include <span>

#include "linnet/op.h"

// Scales and zero points of matrices: one for the matrix, or one for each row or column.
namespace linnet {

/// The dtypes of bytes that stand for numbers.
inline constexpr std::array kByteTypes{DType::kInt8, DType::kUint8};

/// Where the parameter of an element lies: at matrix * m + row * i + column * j.
struct ParameterIndex {
  int64_t matrix = 0, row = 0, column = 0;

  int64_t at(int64_t m, int64_t i, int64_t j) const { return matrix * m + row * i + column * j; }
};

enum class ParameterAxis { kRow, kColumn };

/// The index of a parameter of `shape` for matrices [batch..., rows, columns] (a vector is a row, or with kColumn a
/// column): one element for all, [rows] or [columns], or [batch..., rows, 1] or [batch..., 1, columns], by the axis.
/// Throws Error(kShape) for other shapes.
/// Source: https://onnx.ai/onnx/operators/onnx__QLinearMatMul.html
ParameterIndex parameter_index(const Shape& matrices, const Shape& shape, ParameterAxis axis, const char* name);

/// Whether it is known to be one element, which is that of all.
inline bool holds_one(const Fact& fact) { return fact.concrete() && fact.shape().elements() == 1; }

/// Element i of a tensor of 8-bit integers.
int32_t byte_at(const Tensor& tensor, int64_t i);
/// Element i of a tensor of float32, float16, bfloat16 or float8.
float float_at(const Tensor& tensor, int64_t i);

/// Checks that a parameter of a convolution has one element, or one for each of `channels` where it may.
void check_channel_parameter(const Fact& parameter, const Dim& channels, bool per_channel, const char* name);

/// Checks that a scale is float32, float16, bfloat16 or float8, and that all elements of one that is constant are
/// positive and finite.
void require_positive(const Fact& scale, const std::string& what);

/// Checks that a scale and its zero point have the same shape, or one of them one element, the dtypes of `zero_point`
/// and the tensor agree and the scale is float32, float16 or bfloat16.
void check_parameters(const Fact& tensor, const Fact& scale, const Fact& zero_point, const char* name);

}  // namespace linnet
