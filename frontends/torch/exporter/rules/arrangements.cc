#include <ATen/ATen.h>

#include <algorithm>

#include "rule_list.h"
#include "shared.h"

// Tensors beside each other, in parts, turned, and grids of them.
namespace linnet::exporter {
namespace {

/// Lists of tensors along an axis, each with at least `rank` axes: new ones in front, or for dstack behind.
Lowering stacked(int64_t rank, int64_t axis) {
  return [=](Call& call) {
    Names parts = call.values("tensors", call.dtype());
    const std::vector<at::Tensor> tensors = call.tensors("tensors");
    for (size_t i = 0; i < parts.size(); ++i) {
      std::vector<int64_t> missing;
      for (int64_t k = tensors[i].dim(); k < rank; ++k) missing.push_back(k == 2 || tensors[i].dim() == 0 ? k : 0);
      if (!missing.empty()) parts[i] = change_axes(call, "Unsqueeze", parts[i], missing);
    }
    const bool vectors = rank == 1 && tensors[0].dim() <= 1;
    call.set(call.emit("Concat", parts, {{"axis", vectors ? 0 : axis}}));
  };
}

/// Vectors become columns.
void column_stack(Call& call) {
  Names parts = call.values("tensors", call.dtype());
  const std::vector<at::Tensor> tensors = call.tensors("tensors");
  for (size_t i = 0; i < parts.size(); ++i) {
    if (tensors[i].dim() < 2) parts[i] = call.emit("Reshape", {parts[i], call.constant_of({-1, 1})});
  }
  call.set(call.emit("Concat", parts, {{"axis", 1}}));
}

/// Parts that end at the given positions, which may lie beyond the axis.
void split_at(Call& call, const std::vector<int64_t>& positions, int64_t axis) {
  Names parts;
  int64_t begin = 0;
  for (const int64_t end : positions) {
    parts.push_back(slice(call, call.value(), axis, begin, end));
    begin = end;
  }
  parts.push_back(slice(call, call.value(), axis, begin, kEnd));
  call.set_list(parts);
}

void split_evenly(Call& call, int64_t axis) {
  const int64_t part = call.tensor().size(axis) / call.integer("sections");
  std::vector<int64_t> positions;
  for (int64_t i = 1; i < call.integer("sections"); ++i) positions.push_back(i * part);
  split_at(call, positions, axis);
}

void tensor_split(Call& call) { split_at(call, call.integers("indices"), call.axis()); }

/// hsplit goes along axis 1 but for vectors.
Lowering split_along(int64_t axis, bool evenly) {
  return [=](Call& call) {
    const int64_t along = axis == 1 && call.tensor().dim() == 1 ? 0 : axis;
    evenly ? split_evenly(call, along) : split_at(call, call.integers("indices"), along);
  };
}

std::string flipped(Call& call, const std::string& x, int64_t axis) {
  return slice(call, x, axis, -1, std::numeric_limits<int64_t>::min(), -1);
}

Lowering flip_axis(int64_t axis) {
  return [axis](Call& call) { call.set(flipped(call, call.value(), axis)); };
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

/// Tensor i along axis i (xy: the first two in turn), the same along all other axes.
Names grids(Call& call, bool xy) {
  const Names tensors = call.values("tensors");
  const auto count = int64_t(tensors.size());
  std::vector<int64_t> axes = order_of(count);
  if (xy && count > 1) std::swap(axes[0], axes[1]);
  Names sizes(tensors.size()), result;
  for (size_t i = 0; i < tensors.size(); ++i)
    sizes[size_t(axes[i])] = call.emit("Shape", {flattened(call, tensors[i])});
  const std::string shape = call.emit("Concat", sizes, {{"axis", 0}});
  for (size_t i = 0; i < tensors.size(); ++i) {
    std::vector<int64_t> own(tensors.size(), 1);
    own[size_t(axes[i])] = -1;
    const std::string line = call.emit("Reshape", {tensors[i], call.constant_of(own)});
    result.push_back(call.emit("Expand", {line, shape}));
  }
  return result;
}

void meshgrid(Call& call) { call.set_list(grids(call, call.has("indexing") && call.text("indexing") == "xy")); }

/// All tuples of elements, one in each row.
void cartesian_prod(Call& call) {
  if (call.tensors("tensors").size() == 1) return call.set(call.values("tensors")[0]);
  Names columns;
  for (const std::string& grid : grids(call, false)) {
    columns.push_back(call.emit("Reshape", {grid, call.constant_of({-1, 1})}));
  }
  call.set(call.emit("Concat", columns, {{"axis", 1}}));
}

/// All tensors in the shape that they have together.
void broadcast_tensors(Call& call) {
  const std::vector<at::Tensor> tensors = call.tensors("tensors");
  const Names values = call.values("tensors");
  Names result = values;
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t k = 0; k < values.size(); ++k) {
      if (tensors[i].sizes() == tensors[k].sizes()) continue;
      result[i] = call.emit("Expand", {result[i], call.emit("Shape", {values[k]})});
    }
  }
  call.set_list(result);
}

/// Element i of an axis as often as the constant repeats say.
void repeat_each(Call& call) {
  if (!call.constant("repeats")) call.refuse("the repeats must be constant");
  const bool flat = !call.has("dim");
  const std::string x = flat ? flattened(call, call.value()) : call.value();
  const int64_t size = flat ? call.tensor().numel() : call.tensor().size(call.axis());
  const at::Tensor places = at::arange(size, at::kLong).repeat_interleave(call.tensor("repeats").expand({size}));
  call.set(call.emit("Gather", {x, call.constant_of(places)}, {{"axis", flat ? 0 : call.axis()}}));
}

/// Differences of neighbours, n times.
void diff(Call& call) {
  const int64_t axis = call.axis();
  const at::ScalarType dtype = call.dtype();
  Names parts;
  for (const char* name : {"prepend", "self", "append"}) {
    if (call.has(name)) parts.push_back(call.value(name, dtype));
  }
  std::string y = parts.size() == 1 ? parts[0] : call.emit("Concat", parts, {{"axis", axis}});
  for (int64_t i = 0; i < call.integer("n"); ++i) {
    const Names neighbours{slice(call, y, axis, 1, kEnd), slice(call, y, axis, 0, -1)};
    y = call.emit(dtype == at::kBool ? "Xor" : "Sub", neighbours);
  }
  call.set(y);
}

}  // namespace

void register_arrangements(Lowerings& lowerings) {
  lowerings.add("aten::hstack", stacked(1, 1));
  lowerings.add({"aten::vstack", "aten::row_stack"}, stacked(2, 0));
  lowerings.add("aten::dstack", stacked(3, 2));
  lowerings.add("aten::column_stack", column_stack);
  lowerings.add("aten::tensor_split.indices", tensor_split);
  lowerings.add("aten::hsplit.int", split_along(1, true));
  lowerings.add("aten::hsplit.array", split_along(1, false));
  lowerings.add("aten::vsplit.int", split_along(0, true));
  lowerings.add("aten::vsplit.array", split_along(0, false));
  lowerings.add("aten::dsplit.int", split_along(2, true));
  lowerings.add("aten::dsplit.array", split_along(2, false));
  lowerings.add("aten::fliplr", flip_axis(1));
  lowerings.add("aten::flipud", flip_axis(0));
  lowerings.add("aten::rot90", rot90);
  lowerings.add({"aten::meshgrid", "aten::meshgrid.indexing"}, meshgrid);
  lowerings.add("aten::cartesian_prod", cartesian_prod);
  lowerings.add("aten::broadcast_tensors", broadcast_tensors);
  lowerings.add("aten::repeat_interleave.self_Tensor", repeat_each);
  lowerings.add("aten::diff", diff);
}

}  // namespace linnet::exporter
