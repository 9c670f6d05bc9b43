#include <optional>

#include "building_blocks.h"
#include "rule_list.h"

// Lookups of rows in a table, one by one or reduced in bags.
namespace linnet::exporter {
namespace {

/// Emits rows of a table.
void embedding(Call& call) {
  call.set(call.emit("Gather", {call.value("weight"), call.value("indices")}, {{"axis", 0}}));
}

/// Returns the index that does not count. A negative index counts from the end of the table, except in programs with
/// decomposed operators, where it means that there is no such index.
std::optional<int64_t> padding_of(Call& call, bool is_decomposed) {
  if (!call.has("padding_idx")) return std::nullopt;
  const int64_t index = call.integer("padding_idx");
  if (index >= 0) return index;
  return is_decomposed ? std::nullopt : std::optional(index + call.tensor("weight").size(0));
}

/// Returns which indices belong to which bag: bool [bags, indices].
std::string membership(Call& call, const std::optional<int64_t>& padding) {
  const std::string offsets = call.value("offsets", DType::kInt64), indices = call.value("indices", DType::kInt64);
  const bool closed = call.flag("include_last_offset");
  const std::string none = call.constant_of(Integers{});
  const std::string count = call.emit("Shape", {indices});
  const Names range{call.scalar(0, DType::kInt64), call.emit("Reshape", {count, none}), call.scalar(1, DType::kInt64)};
  const std::string places = call.emit("Range", range);
  const std::string begin = closed ? slice(call, offsets, 0, 0, -1) : offsets;
  const std::string after = slice(call, offsets, 0, 1, kEnd);
  const std::string end = closed ? after : call.emit("Concat", {after, count}, {{"axis", 0}});
  const auto column = [&](const std::string& x) { return change_axes(call, "Unsqueeze", x, {1}); };
  std::string inside =
      call.emit("And", {call.emit("LessOrEqual", {column(begin), places}), call.emit("Less", {places, column(end)})});
  if (padding) {
    const std::string index = call.constant_of({*padding});
    inside = call.emit("And", {inside, call.emit("Not", {call.emit("Equal", {indices, index})})});
  }
  return inside;
}

/// Reduces the rows in each bag; mode 0 is the sum, 1 the mean, 2 the maximum. An empty bag yields 0.
void set_embedding_bag(Call& call, const std::optional<int64_t>& padding) {
  const DType dtype = call.dtype();
  const int64_t mode = call.integer("mode");
  const std::string inside = membership(call, padding), zero = call.scalar(0, dtype);
  std::string rows = call.emit("Gather", {call.value("weight"), call.value("indices")}, {{"axis", 0}});
  if (call.has("per_sample_weights")) {
    rows = call.emit("Mul", {rows, change_axes(call, "Unsqueeze", call.value("per_sample_weights"), {1})});
  }
  const std::string count = reduce(call, "ReduceSum", call.cast(inside, dtype), {1}, true);
  const std::string wide = change_axes(call, "Unsqueeze", inside, {2});
  if (mode == 2) {
    const std::string kept = call.emit("Where", {wide, rows, call.scalar(-INFINITY, dtype)});
    const std::string most = reduce(call, "ReduceMax", kept, {1}, false);
    return call.set(call.emit("Where", {call.emit("Equal", {count, zero}), zero, most}));
  }
  const std::string sum = reduce(call, "ReduceSum", call.emit("Where", {wide, rows, zero}), {1}, false);
  call.set(mode == 0 ? sum : call.emit("Div", {sum, call.emit("Max", {count, call.scalar(1, dtype)})}));
}

void embedding_bag(Call& call) { set_embedding_bag(call, padding_of(call, false)); }
void decomposed_embedding_bag(Call& call) { set_embedding_bag(call, padding_of(call, true)); }

}  // namespace

void register_embedding(Lowerings& lowerings) {
  lowerings.add("aten::embedding", embedding);
  lowerings.add({"aten::embedding_bag", "aten::embedding_bag.padding_idx"}, embedding_bag);
  lowerings.add({"aten::_embedding_bag", "aten::_embedding_bag_forward_only"}, decomposed_embedding_bag);
}

}  // namespace linnet::exporter
