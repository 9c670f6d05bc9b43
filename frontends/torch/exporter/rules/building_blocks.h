#pragma once

#include <iterator>
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
std::string change_axes(Call& call, const std::string& op_type, const std::string& x, const Integers& axes);

/// ReduceSum, ReduceMean ... over axes, in the form of the file's opset.
std::string reduce(Call& call, const std::string& op_type, const std::string& x, const Integers& axes, bool keep);

/// (sum |x|^p)^(1/p) over axes, the largest or smallest |x| for an infinite p, the count of others than 0 for p 0; in
/// the dtype of the call's result.
std::string p_norm(Call& call, const std::string& x, double p, const Integers& axes, bool keep);

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

/// One number of an argument for each of so many axes: a single one stands for all of them.
Integers per_axis(Call& call, const std::string& name, int64_t axes);

/// How often an argument says that a rule repeats its nodes; more than 10,000 times is refused.
int64_t rounds_of(Call& call, const std::string& name);

/// So many numbers of an argument, from `least` to 2^31 - 1: sizes, strides and paddings of windows.
Integers window_numbers(Call& call, const std::string& name, size_t count, int64_t least);

/// Padding at the begin of all axes, then the same at their end.
Integers both_ends(const Integers& padding);

/// Elements [begin, end) of a list. Throws std::out_of_range where it does not have them.
Integers part_of(const Integers& list, int64_t begin, int64_t end);
/// The last elements of a list.
inline Integers last_of(const Integers& list, int64_t count) {
  return part_of(list, std::ssize(list) - count, std::ssize(list));
}

/// A constant int64 of rank 0.
inline std::string integer_of(Call& call, int64_t value) { return call.constant_of({value}, Shape{}); }

/// Refuses a table that is too large to compute here, or has a negative size.
void check_table(Call& call, int64_t rows, int64_t columns);

/// A constant table, int64 [rows, columns], of numbers place(row, column).
template <class Place>
std::string table_of(Call& call, int64_t rows, int64_t columns, const Place& place) {
  check_table(call, rows, columns);
  Integers values;
  values.reserve(size_t(rows * columns));
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) values.push_back(place(row, column));
  }
  return call.constant_of(values, Shape{rows, columns});
}

/// A constant table of numbers or bools in a dtype.
template <class Number>
std::string table_of(Call& call, int64_t rows, int64_t columns, DType dtype, const Number& number) {
  check_table(call, rows, columns);
  Numbers values;
  values.reserve(size_t(rows * columns));
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) values.push_back(double(number(row, column)));
  }
  return call.constant_of(values, Shape{rows, columns}, dtype);
}

/// The numbers 0, 1, 2 ... below a count, int64 [1].
std::string places_below(Call& call, const std::string& count);

/// The indices 0, 1, 2 ... of a tensor argument's axis, int64 of rank 1.
std::string places_along(Call& call, const std::string& name, int64_t axis);

/// The axes 0 ... rank - 1.
Integers order_of(int64_t rank);

/// The order that takes axes in `order` back to where they were.
Integers inverse(const Integers& order);

/// Axes of a value in another order.
std::string transposed(Call& call, const std::string& x, const Integers& order);

/// All elements along one axis.
std::string flattened(Call& call, const std::string& x);

/// A value in the shape of the call's result. Where that is empty, no size of it may be left to Reshape.
std::string reshaped_to_result(Call& call, const std::string& x);

/// x[begin:end:step] along one axis.
std::string slice(Call& call, const std::string& x, int64_t axis, int64_t begin, int64_t end, int64_t step = 1);

}  // namespace linnet::exporter
