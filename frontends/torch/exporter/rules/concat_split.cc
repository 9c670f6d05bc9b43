#include <algorithm>

#include "building_blocks.h"
#include "rule_list.h"

// Concatenation of tensors along an axis, and splits along an axis.
namespace linnet::exporter {
namespace {

/// The list may contain empty tensors of rank 1, which are ignored.
void cat(Call& call) {
  Names parts = call.values("tensors", call.dtype());
  const List<TensorInfo> tensors = call.tensors("tensors");
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

/// Concatenates tensors along an axis, after inserting axes up to `rank`: leading ones, and for dstack a trailing one.
Lowering stacked(int64_t rank, int64_t axis) {
  return [=](Call& call) {
    Names parts = call.values("tensors", call.dtype());
    const List<TensorInfo> tensors = call.tensors("tensors");
    for (size_t i = 0; i < parts.size(); ++i) {
      Integers missing;
      for (int64_t k = tensors[i].dim(); k < rank; ++k) missing.push_back(k == 2 || tensors[i].dim() == 0 ? k : 0);
      if (!missing.empty()) parts[i] = change_axes(call, "Unsqueeze", parts[i], missing);
    }
    const bool vectors = rank == 1 && tensors[0].dim() <= 1;
    call.set(call.emit("Concat", parts, {{"axis", vectors ? 0 : axis}}));
  };
}

/// Concatenates columns; vectors become columns first.
void column_stack(Call& call) {
  Names parts = call.values("tensors", call.dtype());
  const List<TensorInfo> tensors = call.tensors("tensors");
  for (size_t i = 0; i < parts.size(); ++i) {
    if (tensors[i].dim() < 2) parts[i] = call.emit("Reshape", {parts[i], call.constant_of({-1, 1})});
  }
  call.set(call.emit("Concat", parts, {{"axis", 1}}));
}

/// Emits a list of parts of the given sizes.
void split_into(Call& call, const Integers& sizes, int64_t axis) {
  if (sizes.size() == 1) return call.set_list({call.value()});
  call.set_list(call.emit_many("Split", {call.value(), call.constant_of(sizes)}, {{"axis", axis}}, sizes.size()));
}

/// Refuses a number of parts that differs from the length of the list of results.
void check_count(Call& call, int64_t parts) {
  if (parts != int64_t(call.result_length())) call.refuse("its list of results has another length in ONNX");
}

/// Emits as many parts as the list of results has. Each has `part` elements (int64 [1]); the last part is the
/// remainder. In a run with another length of the list, Split gets a size that it rejects.
void split_by(Call& call, const std::string& part, int64_t axis) {
  const size_t count = call.result_length();
  check_count(call, std::max<int64_t>(int64_t(count), 1));
  const std::string one = call.constant_of({1});
  std::string rest = call.size("self", axis);
  Names sizes;
  for (size_t i = 0; i + 1 < count; ++i) {
    sizes.push_back(part);
    rest = call.emit("Sub", {rest, part});
  }
  const std::string has_elements = call.emit("GreaterOrEqual", {rest, call.emit("Min", {part, one})});
  const std::string fits = call.emit("And", {has_elements, call.emit("LessOrEqual", {rest, part})});
  sizes.push_back(call.emit("Where", {fits, rest, call.constant_of({-1})}));
  const std::string all = call.emit("Concat", sizes, {{"axis", int64_t(0)}});
  call.set_list(call.emit_many("Split", {call.value(), all}, {{"axis", axis}}, count));
}

/// Returns ceil(total / parts), int64 [1].
std::string size_of_part(Call& call, const std::string& total, int64_t parts) {
  return call.emit("Div", {call.emit("Add", {total, call.constant_of({parts - 1})}), call.constant_of({parts})});
}

Integers equal_parts(Call& call, int64_t total, int64_t part) {
  if (total > 0 && part <= 0) call.refuse("its parts have no elements");
  if (total > 0) check_count(call, total / part + (total % part != 0));
  Integers sizes;
  for (int64_t done = 0; done < total; done += part) sizes.push_back(std::min(part, total - done));
  return sizes.empty() ? Integers{0} : sizes;
}

void split(Call& call) {
  const int64_t axis = call.axis();
  if (call.dynamic("self", axis) || !call.constant("split_size")) return split_by(call, call.shape("split_size"), axis);
  split_into(call, equal_parts(call, call.tensor().size(axis), call.integer("split_size")), axis);
}

/// Emits parts of sizes that may be computed.
void split_in_sizes(Call& call, const std::string& argument) {
  if (call.constant(argument)) return split_into(call, call.integers(argument), call.axis());
  const size_t count = call.length(argument);
  if (count == 1) return call.set_list({call.value()});
  call.set_list(call.emit_many("Split", {call.value(), call.shape(argument)}, {{"axis", call.axis()}}, count));
}

void split_sizes(Call& call) { split_in_sizes(call, "split_sizes"); }
void split_list(Call& call) { split_in_sizes(call, "split_size"); }

void chunk(Call& call) {
  const int64_t axis = call.axis(), total = call.tensor().size(axis), chunks = call.positive("chunks");
  if (call.dynamic("self", axis)) return split_by(call, size_of_part(call, call.size("self", axis), chunks), axis);
  split_into(call, equal_parts(call, total, std::max<int64_t>(total / chunks + (total % chunks != 0), 1)), axis);
}

/// Splits an axis of unknown size. The remainder makes the first parts longer by one.
void open_tensor_split(Call& call, int64_t axis, int64_t parts) {
  const std::string total = call.size("self", axis), count = call.constant_of({parts}),
                    along = call.constant_of({axis});
  const std::string least = call.emit("Div", {total, count}), left = call.emit("Mod", {total, count});
  Names results;
  std::string begin = call.constant_of({0});
  for (int64_t i = 1; i <= parts; ++i) {
    const std::string number = call.constant_of({i});
    const std::string end = call.emit("Add", {call.emit("Mul", {least, number}), call.emit("Min", {left, number})});
    results.push_back(call.emit("Slice", {call.value(), begin, end, along}));
    begin = end;
  }
  call.set_list(results);
}

void tensor_split(Call& call) {
  const int64_t axis = call.axis(), total = call.tensor().size(axis), parts = call.positive("sections");
  check_count(call, parts);
  if (call.dynamic("self", axis)) return open_tensor_split(call, axis, parts);
  Integers sizes;
  for (int64_t i = 0; i < parts; ++i) sizes.push_back(total / parts + (i < total % parts));
  split_into(call, sizes, axis);
}

void unbind(Call& call) {
  const int64_t axis = call.axis(), count = call.tensor().size(axis);
  check_count(call, count);
  Names parts;
  for (int64_t i = 0; i < count; ++i) {
    parts.push_back(call.emit("Gather", {call.value(), integer_of(call, i)}, {{"axis", axis}}));
  }
  call.set_list(parts);
}

/// Emits parts that end at the given positions, which may be beyond the axis.
void split_at(Call& call, const Integers& positions, int64_t axis) {
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
  const int64_t sections = call.positive("sections"), part = call.tensor().size(axis) / sections;
  check_count(call, sections);
  if (call.dynamic("self", axis)) return split_by(call, size_of_part(call, call.size("self", axis), sections), axis);
  Integers positions;
  for (int64_t i = 1; i < sections; ++i) positions.push_back(i * part);
  split_at(call, positions, axis);
}

void tensor_split_at(Call& call) { split_at(call, call.integers("indices"), call.axis()); }

/// hsplit splits along axis 1, except for vectors.
Lowering split_along(int64_t axis, bool evenly) {
  return [=](Call& call) {
    const int64_t along = axis == 1 && call.tensor().dim() == 1 ? 0 : axis;
    evenly ? split_evenly(call, along) : split_at(call, call.integers("indices"), along);
  };
}

}  // namespace

void register_concat_split(Lowerings& lowerings) {
  lowerings.add({"aten::cat", "aten::concat"}, cat);
  lowerings.add("aten::stack", stack);
  lowerings.add({"aten::split.Tensor", "aten::unsafe_split.Tensor"}, split);
  lowerings.add({"aten::split_with_sizes", "aten::unsafe_split_with_sizes"}, split_sizes);
  lowerings.add("aten::split.sizes", split_list);
  lowerings.add({"aten::chunk", "aten::unsafe_chunk"}, chunk);
  lowerings.add("aten::tensor_split.sections", tensor_split);
  lowerings.add("aten::unbind.int", unbind);
  lowerings.add("aten::hstack", stacked(1, 1));
  lowerings.add({"aten::vstack", "aten::row_stack"}, stacked(2, 0));
  lowerings.add("aten::dstack", stacked(3, 2));
  lowerings.add("aten::column_stack", column_stack);
  lowerings.add("aten::tensor_split.indices", tensor_split_at);
  lowerings.add("aten::hsplit.int", split_along(1, true));
  lowerings.add("aten::hsplit.array", split_along(1, false));
  lowerings.add("aten::vsplit.int", split_along(0, true));
  lowerings.add("aten::vsplit.array", split_along(0, false));
  lowerings.add("aten::dsplit.int", split_along(2, true));
  lowerings.add("aten::dsplit.array", split_along(2, false));
}

}  // namespace linnet::exporter
