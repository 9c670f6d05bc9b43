#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

#include "rule_list.h"
#include "shared.h"

// Parts of tensors, and tensors put together from parts.
namespace linnet::exporter {
namespace {

std::string with_leading_axes(Call& call, int64_t rank) {
  const std::vector<int64_t> axes = order_of(std::max<int64_t>(rank - call.tensor().dim(), 0));
  return axes.empty() ? call.value() : change_axes(call, "Unsqueeze", call.value(), axes);
}

void repeat(Call& call) {
  call.set(call.emit("Tile", {with_leading_axes(call, call.result().dim()), call.shape("repeats")}));
}

void tile(Call& call) {
  std::vector<int64_t> repeats = call.integers("dims");
  while (int64_t(repeats.size()) < call.tensor().dim()) repeats.insert(repeats.begin(), 1);
  call.set(call.emit("Tile", {with_leading_axes(call, int64_t(repeats.size())), call.constant_of(repeats)}));
}

/// Each element `repeats` times: a new axis behind, expanded and merged.
void repeat_interleave(Call& call) {
  if (!call.has("dim")) call.refuse("it needs an axis");
  const int64_t axis = call.axis(), count = call.integer("repeats"), rank = call.tensor().dim();
  std::vector<int64_t> sizes(size_t(rank + 1), 1);
  sizes[size_t(axis) + 1] = count;
  const std::string wide = change_axes(call, "Unsqueeze", call.value(), {axis + 1});
  const std::string copies = call.emit("Expand", {wide, call.constant_of(sizes)});
  call.set(call.emit("Reshape", {copies, call.result_shape()}));
}

/// Empty tensors of rank 1 may stand in a list of others.
void cat(Call& call) {
  Names parts = call.values("tensors", call.dtype());
  const std::vector<at::Tensor> tensors = call.tensors("tensors");
  Names kept;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (tensors[i].dim() == call.result().dim()) kept.push_back(parts[i]);
  }
  const int64_t axis = call.integer("dim");
  call.set(call.emit("Concat", kept, {{"axis", axis < 0 ? axis + call.result().dim() : axis}}));
}

void stack(Call& call) {
  const int64_t axis = call.integer("dim"), at = axis < 0 ? axis + call.result().dim() : axis;
  Names parts = call.values("tensors", call.dtype());
  for (std::string& part : parts) part = change_axes(call, "Unsqueeze", part, {at});
  call.set(call.emit("Concat", parts, {{"axis", at}}));
}

/// A list of parts of the given sizes.
void split_into(Call& call, const std::vector<int64_t>& sizes, int64_t axis) {
  if (sizes.size() == 1) return call.set_list({call.value()});
  call.set_list(call.emit_many("Split", {call.value(), call.constant_of(sizes)}, {{"axis", axis}}, sizes.size()));
}

std::vector<int64_t> equal_parts(int64_t total, int64_t part) {
  std::vector<int64_t> sizes;
  for (int64_t done = 0; done < total; done += part) sizes.push_back(std::min(part, total - done));
  return sizes.empty() ? std::vector<int64_t>{0} : sizes;
}

void split(Call& call) {
  const int64_t axis = call.axis();
  split_into(call, equal_parts(call.tensor().size(axis), call.integer("split_size")), axis);
}
void split_sizes(Call& call) { split_into(call, call.integers("split_sizes"), call.axis()); }
void split_list(Call& call) { split_into(call, call.integers("split_size"), call.axis()); }

void chunk(Call& call) {
  const int64_t axis = call.axis(), total = call.tensor().size(axis), chunks = call.integer("chunks");
  split_into(call, equal_parts(total, std::max<int64_t>((total + chunks - 1) / chunks, 1)), axis);
}

void tensor_split(Call& call) {
  const int64_t axis = call.axis(), total = call.tensor().size(axis), parts = call.integer("sections");
  std::vector<int64_t> sizes;
  for (int64_t i = 0; i < parts; ++i) sizes.push_back(total / parts + (i < total % parts));
  split_into(call, sizes, axis);
}

void unbind(Call& call) {
  const int64_t axis = call.axis(), count = call.tensor().size(axis);
  Names parts;
  for (int64_t i = 0; i < count; ++i) {
    parts.push_back(
        call.emit("Gather", {call.value(), call.constant_of(at::scalar_tensor(i, at::kLong))}, {{"axis", axis}}));
  }
  call.set_list(parts);
}

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

void flip(Call& call) {
  std::string y = call.value();
  for (const int64_t axis : call.axes("dims")) y = slice(call, y, axis, -1, std::numeric_limits<int64_t>::min(), -1);
  call.set(y);
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

void register_parts(Lowerings& lowerings) {
  lowerings.add("aten::repeat", repeat);
  lowerings.add("aten::tile", tile);
  lowerings.add("aten::repeat_interleave.self_int", repeat_interleave);
  lowerings.add({"aten::cat", "aten::concat"}, cat);
  lowerings.add("aten::stack", stack);
  lowerings.add({"aten::split.Tensor", "aten::unsafe_split.Tensor"}, split);
  lowerings.add({"aten::split_with_sizes", "aten::unsafe_split_with_sizes"}, split_sizes);
  lowerings.add("aten::split.sizes", split_list);
  lowerings.add({"aten::chunk", "aten::unsafe_chunk"}, chunk);
  lowerings.add("aten::tensor_split.sections", tensor_split);
  lowerings.add("aten::unbind.int", unbind);
  lowerings.add("aten::slice.Tensor", slice_rule);
  lowerings.add("aten::select.int", select);
  lowerings.add("aten::narrow", narrow);
  lowerings.add("aten::flip", flip);
  lowerings.add("aten::roll", roll);
}

}  // namespace linnet::exporter
