#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

#include "building_blocks.h"
#include "rule_list.h"

// Slices and single positions of an axis, axes turned around and rotated.
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

/// One position of an axis, which goes.
void select(Call& call) {
  const std::string index = call.constant("index")
                                ? call.constant_of(at::scalar_tensor(call.integer("index"), at::kLong))
                                : call.value("index", at::kLong);
  call.set(call.emit("Gather", {call.value(), index}, {{"axis", call.axis()}}));
}

void narrow(Call& call) {
  const std::string begin = call.shape("start");
  const std::string end = call.emit("Add", {begin, call.shape("length")});
  call.set(call.emit("Slice", {call.value(), begin, end, call.constant_of({call.axis()})}));
}

std::string flipped(Call& call, const std::string& x, int64_t axis) {
  return slice(call, x, axis, -1, std::numeric_limits<int64_t>::min(), -1);
}

Lowering flip_axis(int64_t axis) {
  return [axis](Call& call) { call.set(flipped(call, call.value(), axis)); };
}

void flip(Call& call) {
  std::string y = call.value();
  for (const int64_t axis : call.axes("dims")) y = flipped(call, y, axis);
  call.set(y);
}

/// A quarter turn flips the second axis and swaps the two.
void rot90(Call& call) {
  const std::vector<int64_t> axes = call.axes("dims");
  const int64_t turns = ((call.integer("k") % 4) + 4) % 4;
  std::vector<int64_t> swapped = order_of(call.tensor().dim());
  std::swap(swapped[size_t(axes[0])], swapped[size_t(axes[1])]);
  std::string y = call.value();
  if (turns == 1 || turns == 2) y = flipped(call, y, axes[1]);
  if (turns == 2 || turns == 3) y = flipped(call, y, axes[0]);
  call.set(turns % 2 == 1 ? transposed(call, y, swapped) : y);
}

/// Each axis turns: its end comes to the front.
void roll(Call& call) {
  if (call.integers("dims").empty()) call.refuse("it needs axes");
  const std::vector<int64_t> shifts = call.integers("shifts"), axes = call.axes("dims");
  std::string y = call.value();
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t size = call.tensor().size(axes[i]);
    const int64_t shift = size == 0 ? 0 : (shifts[i] % size + size) % size;
    if (shift == 0) continue;
    y = call.emit("Concat", {slice(call, y, axes[i], -shift, kEnd), slice(call, y, axes[i], 0, -shift)},
                  {{"axis", axes[i]}});
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
