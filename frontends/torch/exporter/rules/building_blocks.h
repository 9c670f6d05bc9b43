#pragma once

#include <limits>
#include <string>
#include <vector>

#include "linnet/lowering.h"

// What several families of rules use.
namespace linnet::exporter {

/// The rule of an operator of one tensor, which ONNX has under this name; it computes in the dtype of the result.
inline Lowering unary(const std::string& op_type) {
  return [op_type](Call& call) { call.set(call.emit(op_type, {call.value("self", call.dtype())})); };
}

/// Axes of a value removed (Squeeze) or put in (Unsqueeze).
std::string change_axes(Call& call, const std::string& op_type, const std::string& x, const std::vector<int64_t>& axes);

/// ReduceSum, ReduceMean ... over axes, in the form of the file's opset.
std::string reduce(Call& call, const std::string& op_type, const std::string& x, const std::vector<int64_t>& axes,
                   bool keep);

/// (sum |x|^p)^(1/p) over axes, the largest or smallest |x| for an infinite p, the count of others than 0 for p 0; in
/// the dtype of the call's result.
std::string p_norm(Call& call, const std::string& x, double p, const std::vector<int64_t>& axes, bool keep);

/// (x - mean) / sqrt(variance + eps) * scale + bias over the last `count` axes; eps is an argument of the call, bias
/// may be "".
std::string layer_normalized(Call& call, const std::string& x, int64_t count, const std::string& scale,
                             const std::string& bias);

/// beta * self + alpha * y, in the dtype of the call's result.
std::string scaled_sum(Call& call, const std::string& y);

/// x / 2 * (1 + erf(x / sqrt(2))), or its approximation by tanh.
std::string gelu_of(Call& call, const std::string& x, bool approximate);

/// A pool over the last axes, whose input gets a batch axis where it has none.
Names pooled(Call& call, const OnnxOperator& op, int64_t spatial, const Attributes& attributes, size_t outputs = 1);

/// The end of a slice that goes to the end of its axis.
inline constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();

/// One number for each axis: a single one stands for all of them.
std::vector<int64_t> per_axis(std::vector<int64_t> values, int64_t axes);

/// A constant int64 of rank 0.
inline std::string integer_of(Call& call, int64_t value) { return call.constant_of({value}, Shape{}); }

/// A constant table, int64 [rows, columns], of numbers place(row, column).
template <class Place>
std::string table_of(Call& call, int64_t rows, int64_t columns, const Place& place) {
  std::vector<int64_t> values;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) values.push_back(place(row, column));
  }
  return call.constant_of(values, Shape{rows, columns});
}

/// A constant table of numbers or bools in a dtype.
template <class Number>
std::string table_of(Call& call, int64_t rows, int64_t columns, DType dtype, const Number& number) {
  std::vector<double> values;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) values.push_back(double(number(row, column)));
  }
  return call.constant_of(values, Shape{rows, columns}, dtype);
}

/// The indices 0, 1, 2 ... of a tensor argument's axis, int64 of rank 1.
std::string places_along(Call& call, const std::string& name, int64_t axis);

/// The axes 0 ... rank - 1.
std::vector<int64_t> order_of(int64_t rank);

/// The order that takes axes in `order` back to where they were.
std::vector<int64_t> inverse(const std::vector<int64_t>& order);

/// Axes of a value in another order.
std::string transposed(Call& call, const std::string& x, const std::vector<int64_t>& order);

/// All elements along one axis.
std::string flattened(Call& call, const std::string& x);

/// A value in the shape of the call's result. Where that is empty, no size of it may be left to Reshape.
std::string reshaped_to_result(Call& call, const std::string& x);

/// x[begin:end:step] along one axis.
std::string slice(Call& call, const std::string& x, int64_t axis, int64_t begin, int64_t end, int64_t step = 1);

}  // namespace linnet::exporter
