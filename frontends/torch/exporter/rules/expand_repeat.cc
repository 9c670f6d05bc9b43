#include <algorithm>

#include "building_blocks.h"
#include "constants.h"
#include "rule_list.h"

// Broadcasts, repetitions and grids of tensors.
namespace linnet::exporter {
namespace {

/// Axes of size -1 stay, which ONNX expresses as size 1. New axes are leading.
void expand(Call& call) {
  std::string sizes;
  if (call.constant("size")) {
    Integers numbers = call.integers("size");
    std::replace(numbers.begin(), numbers.end(), int64_t(-1), int64_t(1));
    sizes = call.constant_of(numbers);
  } else {
    sizes = call.emit("Abs", {call.shape("size")});  // the only negative size is -1
  }
  call.set(call.emit("Expand", {call.value(), sizes}));
}

void expand_as(Call& call) { call.set(call.emit("Expand", {call.value(), call.emit("Shape", {call.value("other")})})); }

/// Broadcasts all tensors to their common shape.
void broadcast_tensors(Call& call) {
  const List<TensorInfo> tensors = call.tensors("tensors");
  const Names values = call.values("tensors");
  Names result = values;
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t k = 0; k < values.size(); ++k) {
      if (tensors[i].sizes == tensors[k].sizes) continue;
      result[i] = call.emit("Expand", {result[i], call.emit("Shape", {values[k]})});
    }
  }
  call.set_list(result);
}

std::string with_leading_axes(Call& call, int64_t rank) {
  const Integers axes = order_of(std::max<int64_t>(rank - call.tensor().dim(), 0));
  return axes.empty() ? call.value() : change_axes(call, "Unsqueeze", call.value(), axes);
}

void repeat(Call& call) {
  call.set(call.emit("Tile", {with_leading_axes(call, call.result().dim()), call.shape("repeats")}));
}

void tile(Call& call) {
  Integers repeats = call.integers("dims");
  while (int64_t(repeats.size()) < call.tensor().dim()) repeats.insert(repeats.begin(), 1);
  call.set(call.emit("Tile", {with_leading_axes(call, int64_t(repeats.size())), call.constant_of(repeats)}));
}

/// Repeats each element `repeats` times by a new axis that is expanded and merged. Without a dim, flattens the tensor
/// first.
void repeat_interleave(Call& call) {
  const bool flat = !call.has("dim") || call.tensor().dim() == 0;
  const int64_t axis = flat ? 0 : call.axis(), count = call.integer("repeats");
  Integers sizes(size_t(flat ? 2 : call.tensor().dim() + 1), 1);
  sizes[size_t(axis) + 1] = count;
  const std::string x = flat ? flattened(call, call.value()) : call.value();
  const std::string wide = change_axes(call, "Unsqueeze", x, {axis + 1});
  const std::string copies = call.emit("Expand", {wide, call.constant_of(sizes)});
  call.set(reshaped_to_result(call, copies));
}

/// Returns place i as often as element i of repeats. A place is the number of ends of runs at or before its position.
std::string repeated_places(Call& call, const std::string& repeats) {
  call.require_opset(16, "repeats that depend on the model's inputs");
  const std::string zero = integer_of(call, 0), one = integer_of(call, 1);
  const std::string ends = call.emit("CumSum", {repeats, zero});
  const std::string total = reduce(call, "ReduceSum", repeats, {0}, true);
  const std::string line = call.emit("Expand", {zero, call.emit("Add", {total, one})});
  const std::string ones = call.emit("Expand", {one, call.emit("Shape", {ends})});
  const Attributes add{{"axis", 0}, {"reduction", std::string("add")}};
  const std::string counts = call.emit("CumSum", {call.emit("ScatterElements", {line, ends, ones}, add), zero});
  return call.emit("Slice", {counts, call.constant_of({0}), total});
}

void repeat_places(Call& call) {
  call.decided_by_contents();
  call.set(call.cast(repeated_places(call, call.value("repeats", DType::kInt64)), call.dtype()));
}

/// A single number of repeats counts for all places of an axis.
void repeat_as_asked(Call& call, const std::string& x, int64_t axis) {
  call.decided_by_contents();
  std::string repeats = flattened(call, call.value("repeats", DType::kInt64));
  if (call.tensor("repeats").numel() == 1) {
    const std::string size = call.emit("Gather", {call.emit("Shape", {x}), call.constant_of({axis})}, {{"axis", 0}});
    repeats = call.emit("Expand", {repeats, size});
  }
  call.set(call.emit("Gather", {x, repeated_places(call, repeats)}, {{"axis", axis}}));
}

/// Repeats element i of an axis repeats[i] times.
void repeat_each(Call& call) {
  const bool flat = !call.has("dim");
  const std::string x = flat ? flattened(call, call.value()) : call.value();
  if (!call.constant("repeats")) return repeat_as_asked(call, x, flat ? 0 : call.axis());
  const int64_t size = flat ? call.tensor().numel() : call.tensor().size(call.axis());
  const Integers repeats = integers_in(call.tensor("repeats").contents);
  check_table(call, size, 1);
  Integers places;
  for (int64_t i = 0; i < size; ++i) {
    const int64_t count = repeats[repeats.size() == 1 ? 0 : size_t(i)];
    check_table(call, 1, count);
    check_table(call, 1, std::ssize(places) + count);
    places.insert(places.end(), size_t(count), i);
  }
  call.set(call.emit("Gather", {x, call.constant_of(places)}, {{"axis", flat ? 0 : call.axis()}}));
}

/// Returns grids in which tensor i varies along axis i only. For xy, the first two axes are swapped.
Names grids(Call& call, bool xy) {
  const Names tensors = call.values("tensors");
  const auto count = int64_t(tensors.size());
  Integers axes = order_of(count);
  if (xy && count > 1) std::swap(axes[0], axes[1]);
  Names sizes(tensors.size()), result;
  for (size_t i = 0; i < tensors.size(); ++i)
    sizes[size_t(axes[i])] = call.emit("Shape", {flattened(call, tensors[i])});
  const std::string shape = call.emit("Concat", sizes, {{"axis", 0}});
  for (size_t i = 0; i < tensors.size(); ++i) {
    Integers own(tensors.size(), 1);
    own[size_t(axes[i])] = -1;
    const std::string line = call.emit("Reshape", {tensors[i], call.constant_of(own)});
    result.push_back(call.emit("Expand", {line, shape}));
  }
  return result;
}

void meshgrid(Call& call) { call.set_list(grids(call, call.has("indexing") && call.text("indexing") == "xy")); }

/// Emits all tuples of elements, one in each row.
void cartesian_prod(Call& call) {
  if (call.tensors("tensors").size() == 1) return call.set(call.values("tensors")[0]);
  Names columns;
  for (const std::string& grid : grids(call, false)) {
    columns.push_back(call.emit("Reshape", {grid, call.constant_of({-1, 1})}));
  }
  call.set(call.emit("Concat", columns, {{"axis", 1}}));
}

}  // namespace

void register_expand_repeat(Lowerings& lowerings) {
  lowerings.add("aten::expand", expand);
  lowerings.add("aten::broadcast_to", expand);
  lowerings.add("aten::expand_as", expand_as);
  lowerings.add({"aten::meshgrid", "aten::meshgrid.indexing"}, meshgrid);
  lowerings.add("aten::cartesian_prod", cartesian_prod);
  lowerings.add("aten::broadcast_tensors", broadcast_tensors);
  lowerings.add("aten::repeat_interleave.self_Tensor", repeat_each);
  lowerings.add("aten::repeat_interleave.Tensor", repeat_places);
  lowerings.add("aten::repeat", repeat);
  lowerings.add("aten::tile", tile);
  lowerings.add("aten::repeat_interleave.self_int", repeat_interleave);
}

}  // namespace linnet::exporter
