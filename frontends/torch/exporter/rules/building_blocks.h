#pragma once

#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "linnet/lowering.h"

// Functions that several families of rules share.
namespace linnet::exporter {

/// Returns the rule of an operator with one tensor that ONNX has under this name. It computes in the dtype of the
/// result.
inline Lowering unary(const std::string& op_type) {
  return [op_type](Call& call) { call.set(call.emit(op_type, {call.value("self", call.dtype())})); };
}

/// Removes axes of a value (Squeeze) or inserts them (Unsqueeze).
std::string change_axes(Call& call, const std::string& op_type, const std::string& x, const Integers& axes);

/// Emits ReduceSum, ReduceMean, ... over axes, in the form of the file's opset.
std::string reduce(Call& call, const std::string& op_type, const std::string& x, const Integers& axes, bool keep);

/// Returns (sum |x|^p)^(1/p) over axes in the dtype of the call's result. An infinite p yields the largest or smallest
/// |x|, and p = 0 the number of elements other than 0.
std::string p_norm(Call& call, const std::string& x, double p, const Integers& axes, bool keep);

/// Returns (x - mean) / sqrt(variance + eps) * scale + bias over the last `count` axes. eps is an argument of the call;
/// bias may be "".
std::string layer_normalized(Call& call, const std::string& x, int64_t count, const std::string& scale,
                             const std::string& bias);

/// Returns beta * self + alpha * y, in the dtype of the call's result.
std::string scaled_sum(Call& call, const std::string& y);

/// Returns x / 2 * (1 + erf(x / sqrt(2))), or its approximation with tanh.
std::string gelu_of(Call& call, const std::string& x, bool approximate);

/// Emits a pool over the last axes. If the input has no batch axis, it gets one.
Names pooled(Call& call, const OnnxOperator& op, int64_t spatial, const Attributes& attributes, size_t outputs = 1);

/// The end of a slice that extends to the end of its axis.
inline constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();

/// Returns the numbers of an argument for `axes` axes. A single number counts for all of them.
Integers per_axis(Call& call, const std::string& name, int64_t axes);

/// Returns an argument that is a number of rounds, in each of which a rule repeats its nodes. Refuses more than 10,000.
int64_t rounds_of(Call& call, const std::string& name);

/// Returns `count` numbers of an argument, each from `least` to 2^31 - 1: sizes, strides and paddings of windows.
Integers window_numbers(Call& call, const std::string& name, size_t count, int64_t least);

/// Returns the padding at the begin of all axes, followed by the same at their end.
Integers both_ends(const Integers& padding);

/// Returns elements [begin, end) of a list. Throws std::out_of_range if it does not have them.
Integers part_of(const Integers& list, int64_t begin, int64_t end);
/// Returns the last `count` elements of a list.
inline Integers last_of(const Integers& list, int64_t count) {
  return part_of(list, std::ssize(list) - count, std::ssize(list));
}

/// Returns a constant int64 of rank 0.
inline std::string integer_of(Call& call, int64_t value) { return call.constant_of({value}, Shape{}); }

/// Refuses a table that is too large to compute here, or has a negative size.
void check_table(Call& call, int64_t rows, int64_t columns);

/// Returns a constant table, int64 [rows, columns], of the numbers place(row, column).
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

/// Returns a constant table of numbers or bools in a dtype.
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

/// Returns the numbers 0, 1, 2, ... below a count, int64 [1].
std::string places_below(Call& call, const std::string& count);

/// Returns the indices 0, 1, 2, ... of a tensor argument's axis, int64 of rank 1.
std::string places_along(Call& call, const std::string& name, int64_t axis);

/// Returns the axes 0 ... rank - 1.
Integers order_of(int64_t rank);

/// Returns the permutation that undoes `order`.
Integers inverse(const Integers& order);

/// Permutes the axes of a value.
std::string transposed(Call& call, const std::string& x, const Integers& order);

/// Returns all elements along one axis.
std::string flattened(Call& call, const std::string& x);

/// Returns a value in the shape of the call's result. Avoids Reshape for an empty result, where it would misread sizes
/// of 0.
std::string reshaped_to_result(Call& call, const std::string& x);

/// Returns x[begin:end:step] along one axis.
std::string slice(Call& call, const std::string& x, int64_t axis, int64_t begin, int64_t end, int64_t step = 1);

}  // namespace linnet::exporter
