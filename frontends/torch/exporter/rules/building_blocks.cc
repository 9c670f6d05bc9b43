#include "building_blocks.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "constants.h"

namespace linnet::exporter {

std::string change_axes(Call& call, const std::string& op_type, const std::string& x, const Integers& axes) {
  return call.emit(op_type, {x, call.constant_of(axes)});
}

// The axes are an input since opset 13 for ReduceSum, and since opset 18 for the others.
std::string reduce(Call& call, const std::string& op_type, const std::string& x, const Integers& axes, bool keep) {
  if (axes.empty()) return x;
  if (op_type == "ReduceSum" || call.options().opset >= 18) {
    return call.emit(op_type, {x, call.constant_of(axes)}, {{"keepdims", int64_t(keep)}});
  }
  return call.emit(op_type, {x}, {{"axes", axes}, {"keepdims", int64_t(keep)}});
}

std::string p_norm(Call& call, const std::string& x, double p, const Integers& axes, bool keep) {
  const DType dtype = call.dtype();
  const std::string zero = call.scalar(0, dtype);
  if (axes.empty() && p != 0) return call.emit("Abs", {x});
  if (p == 2) return reduce(call, "ReduceL2", x, axes, keep);
  if (p == 1) return reduce(call, "ReduceL1", x, axes, keep);
  const std::string size = call.emit("Abs", {x});
  if (std::isinf(p) && p < 0) return reduce(call, "ReduceMin", size, axes, keep);
  if (std::isinf(p)) return call.emit("Max", {reduce(call, "ReduceMax", size, axes, keep), zero});  // 0 for no elements
  if (p == 0) {
    const std::string set = call.cast(call.emit("Not", {call.emit("Equal", {size, zero})}), dtype);
    return reduce(call, "ReduceSum", set, axes, keep);
  }
  const std::string sum = reduce(call, "ReduceSum", call.emit("Pow", {size, call.scalar(p, dtype)}), axes, keep);
  return call.emit("Pow", {sum, call.scalar(1 / p, dtype)});
}

// LayerNormalization exists since opset 17.
std::string layer_normalized(Call& call, const std::string& x, int64_t count, const std::string& scale,
                             const std::string& bias) {
  const double eps = call.number("eps");
  if (call.options().opset >= 17) {
    return call.emit("LayerNormalization", {x, scale, bias}, {{"axis", -count}, {"epsilon", eps}});
  }
  Integers axes;
  for (int64_t i = -count; i < 0; ++i) axes.push_back(i);
  const std::string centered = call.emit("Sub", {x, reduce(call, "ReduceMean", x, axes, true)});
  const std::string variance = reduce(call, "ReduceMean", call.emit("Mul", {centered, centered}), axes, true);
  const std::string deviation = call.emit("Sqrt", {call.emit("Add", {variance, call.scalar(eps, call.dtype())})});
  const std::string y = call.emit("Mul", {call.emit("Div", {centered, deviation}), scale});
  return bias.empty() ? y : call.emit("Add", {y, bias});
}

std::string scaled_sum(Call& call, const std::string& y) {
  const DType dtype = call.dtype();
  const auto scaled = [&](const std::string& x, const std::string& factor) {
    return call.number(factor) == 1 ? x : call.emit("Mul", {x, call.value(factor, dtype)});
  };
  return call.emit("Add", {scaled(call.value("self", dtype), "beta"), scaled(y, "alpha")});
}

std::string gelu_of(Call& call, const std::string& x, bool approximate) {
  const DType dtype = call.dtype();
  std::string inner = call.emit("Mul", {x, call.scalar(std::sqrt(0.5), dtype)});
  if (approximate) {
    const std::string cube = call.emit("Mul", {call.emit("Mul", {x, x}), x});
    const std::string sum = call.emit("Add", {x, call.emit("Mul", {cube, call.scalar(0.044715, dtype)})});
    inner = call.emit("Mul", {sum, call.scalar(std::sqrt(2 / M_PI), dtype)});
  }
  const std::string one_more =
      call.emit("Add", {call.emit(approximate ? "Tanh" : "Erf", {inner}), call.scalar(1, dtype)});
  return call.emit("Mul", {call.emit("Mul", {x, one_more}), call.scalar(0.5, dtype)});
}

Names pooled(Call& call, const OnnxOperator& op, int64_t spatial, const Attributes& attributes, size_t outputs) {
  const bool single = call.tensor().dim() == spatial + 1;
  const std::string x = single ? change_axes(call, "Unsqueeze", call.value(), {0}) : call.value();
  Names y = call.emit_many(op, {x}, attributes, outputs);
  for (std::string& value : y) value = single ? change_axes(call, "Squeeze", value, {0}) : value;
  return y;
}

Integers per_axis(Call& call, const std::string& name, int64_t axes) {
  Integers values = call.integers(name);
  if (values.size() == 1 && axes > 0) values.resize(size_t(axes), values[0]);
  if (std::ssize(values) != axes) call.refuse("argument '" + name + "' has not one number for each axis");
  return values;
}

int64_t rounds_of(Call& call, const std::string& name) {
  constexpr int64_t kMostRounds = 10'000;
  const int64_t rounds = call.integer(name);
  if (rounds > kMostRounds) call.refuse("argument '" + name + "' asks for " + std::to_string(rounds) + " rounds");
  return rounds;
}

Integers window_numbers(Call& call, const std::string& name, size_t count, int64_t least) {
  Integers values = call.integers(name);
  if (values.size() != count) call.refuse("argument '" + name + "' has not one number for each axis");
  for (const int64_t value : values) {
    if (value < least || value > std::numeric_limits<int32_t>::max()) {
      call.refuse("argument '" + name + "' has the number " + std::to_string(value));
    }
  }
  return values;
}

Integers both_ends(const Integers& padding) {
  Integers pads = padding;
  pads.insert(pads.end(), padding.begin(), padding.end());
  return pads;
}

Integers part_of(const Integers& list, int64_t begin, int64_t end) {
  if (begin < 0 || begin > end || end > std::ssize(list)) throw std::out_of_range("part_of");
  return {list.begin() + begin, list.begin() + end};
}

void check_table(Call& call, int64_t rows, int64_t columns) {
  const auto counts = [](int64_t size) { return size >= 0 && size <= kMostElements; };
  const bool fits = counts(rows) && counts(columns) && counts(rows * columns);
  if (!fits)
    call.refuse("it needs a constant of " + std::to_string(rows) + " * " + std::to_string(columns) + " elements");
}

std::string places_below(Call& call, const std::string& count) {
  const std::string number = call.emit("Reshape", {count, call.constant_of(Integers{})});
  return call.emit("Range", {integer_of(call, 0), number, integer_of(call, 1)});
}

std::string places_along(Call& call, const std::string& name, int64_t axis) {
  return places_below(call, call.size(name, axis));
}

Integers order_of(int64_t rank) {
  Integers order;
  order.resize(size_t(rank));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

Integers inverse(const Integers& order) {
  Integers result(order.size());
  for (size_t i = 0; i < order.size(); ++i) result[size_t(order[i])] = int64_t(i);
  return result;
}

std::string transposed(Call& call, const std::string& x, const Integers& order) {
  return std::is_sorted(order.begin(), order.end()) ? x : call.emit("Transpose", {x}, {{"perm", order}});
}

std::string flattened(Call& call, const std::string& x) { return call.emit("Reshape", {x, call.constant_of({-1})}); }

/// Returns a value without elements in a shape with a size of 0. Reshape would replace that 0 by its input's size.
static std::string empty_in_shape(Call& call, const std::string& x, const Integers& sizes) {
  Integers beside = order_of(int64_t(sizes.size()));
  beside.erase(beside.begin() + (std::find(sizes.begin(), sizes.end(), 0) - sizes.begin()));
  const std::string line = flattened(call, x);
  return call.emit("Expand",
                   {beside.empty() ? line : change_axes(call, "Unsqueeze", line, beside), call.constant_of(sizes)});
}

std::string reshaped_to_result(Call& call, const std::string& x) {
  const bool empty = call.result().numel() == 0 && !call.result_is_dynamic();
  return empty ? empty_in_shape(call, x, call.result().sizes) : call.emit("Reshape", {x, call.result_shape()});
}

std::string slice(Call& call, const std::string& x, int64_t axis, int64_t begin, int64_t end, int64_t step) {
  return call.emit("Slice", {x, call.constant_of({begin}), call.constant_of({end}), call.constant_of({axis}),
                             call.constant_of({step})});
}

}  // namespace linnet::exporter
