#include <algorithm>
#include <limits>

#include "building_blocks.h"
#include "rule_list.h"

// Slices and single positions along an axis, and reversed or rotated axes.
namespace linnet::exporter {
namespace {

/// Bounds may be None or graph values. Negative ones count from the end, in ONNX as in PyTorch.
void slice_rule(Call& call) {
  const auto bound = [&](const std::string& name, int64_t absent) {
    return call.has(name) ? call.shape(name) : call.constant_of({absent});
  };
  const std::string begin = bound("start", 0), end = bound("end", kEnd);
  call.set(call.emit("Slice", {call.value(), begin, end, call.constant_of({call.axis()}), call.shape("step")}));
}

/// Selects one position of an axis and removes the axis.
void select(Call& call) {
  const std::string index =
      call.constant("index") ? integer_of(call, call.integer("index")) : call.value("index", DType::kInt64);
  call.set(call.emit("Gather", {call.value(), index}, {{"axis", call.axis()}}));
}

/// A negative start counts from the end. It is made positive because the slice could otherwise end at 0.
void narrow(Call& call) {
  std::string begin = call.shape("start");
  if (!call.constant("start") || call.integer("start") < 0) {
    const std::string wrapped = call.emit("Add", {begin, call.size("self", call.axis())});
    begin = call.emit("Where", {call.emit("Less", {begin, call.constant_of({0})}), wrapped, begin});
  }
  const std::string end = call.emit("Add", {begin, call.shape("length")});
  call.set(call.emit("Slice", {call.value(), begin, end, call.constant_of({call.axis()})}));
}

std::string flipped(Call& call, const std::string& x, int64_t axis) {
  if (call.tensor().dim() == 0) return x;
  return slice(call, x, axis, -1, std::numeric_limits<int64_t>::min(), -1);
}

Lowering flip_axis(int64_t axis) {
  return [axis](Call& call) { call.set(flipped(call, call.value(), axis)); };
}

void flip(Call& call) {
  std::string y = call.value();
  if (call.integers("dims").empty()) return call.set(y);
  for (const int64_t axis : call.axes("dims")) y = flipped(call, y, axis);
  call.set(y);
}

/// A quarter turn flips the second axis and swaps the two.
void rot90(Call& call) {
  const Integers axes = call.axes("dims");
  const int64_t turns = ((call.integer("k") % 4) + 4) % 4;
  Integers swapped = order_of(call.tensor().dim());
  std::swap(swapped[size_t(axes[0])], swapped[size_t(axes[1])]);
  std::string y = call.value();
  if (turns == 1 || turns == 2) y = flipped(call, y, axes[1]);
  if (turns == 2 || turns == 3) y = flipped(call, y, axes[0]);
  call.set(turns % 2 == 1 ? transposed(call, y, swapped) : y);
}

std::string rolled(Call& call, const std::string& x, int64_t axis, int64_t size, int64_t shift) {
  shift = size == 0 ? 0 : (shift % size + size) % size;
  if (shift == 0) return x;
  return call.emit("Concat", {slice(call, x, axis, -shift, kEnd), slice(call, x, axis, 0, -shift)}, {{"axis", axis}});
}

/// Rotates an axis whose size or shift (both int64 [1]) is unknown.
std::string rolled(Call& call, const std::string& x, int64_t axis, const std::string& size, const std::string& shift) {
  const std::string turn = call.emit("Mod", {shift, call.emit("Max", {size, call.constant_of({1})})});
  const std::string along = call.constant_of({axis}), cut = call.emit("Sub", {size, turn});
  const std::string end = call.emit("Slice", {x, cut, call.constant_of({kEnd}), along});
  return call.emit("Concat", {end, call.emit("Slice", {x, call.constant_of({0}), cut, along})}, {{"axis", axis}});
}

/// Without axes, the flattened tensor is rotated.
void roll_flat(Call& call) {
  const std::string x = flattened(call, call.value());
  const bool known = call.constant("shifts") && !call.result_is_dynamic();
  const std::string turned = known ? rolled(call, x, 0, call.tensor().numel(), call.integers("shifts")[0])
                                   : rolled(call, x, 0, call.emit("Shape", {x}), call.shape("shifts"));
  call.set(call.emit("Reshape", {turned, call.emit("Shape", {call.value()})}));
}

/// Rotates each axis: its end moves to the front.
void roll(Call& call) {
  if (call.integers("dims").empty()) return roll_flat(call);
  const Integers axes = call.axes("dims");
  std::string y = call.value();
  for (size_t i = 0; i < axes.size(); ++i) {
    if (call.constant("shifts") && !call.dynamic("self", axes[i])) {
      y = rolled(call, y, axes[i], call.tensor().size(axes[i]), call.integers("shifts")[i]);
    } else {
      const std::string shift = slice(call, call.shape("shifts"), 0, int64_t(i), int64_t(i) + 1);
      y = rolled(call, y, axes[i], call.size("self", axes[i]), shift);
    }
  }
  call.set(y);
}

}  // namespace

void register_slice_flip_roll(Lowerings& lowerings) {
  lowerings.add("aten::slice.Tensor", slice_rule);
  lowerings.add("aten::select.int", select);
  lowerings.add("aten::narrow", narrow);
  lowerings.add("aten::flip", flip);
  lowerings.add("aten::roll", roll);
  lowerings.add("aten::fliplr", flip_axis(1));
  lowerings.add("aten::flipud", flip_axis(0));
  lowerings.add("aten::rot90", rot90);
}

}  // namespace linnet::exporter
