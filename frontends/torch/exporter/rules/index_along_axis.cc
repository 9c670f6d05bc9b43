#include "building_blocks.h"
#include "rule_list.h"

// Reads, writes and additions of whole rows along an axis.
namespace linnet::exporter {
namespace {

/// An index of rank 0 counts as one of rank 1.
std::string index_list(Call& call) {
  const std::string index = call.value("index", DType::kInt64);
  return call.tensor("index").dim() == 0 ? flattened(call, index) : index;
}

void index_select(Call& call) {
  if (call.tensor().dim() == 0) return call.set(call.value());
  call.set(call.emit("Gather", {call.value(), index_list(call)}, {{"axis", call.axis()}}));
}

/// Writes rows of an axis. `updates` has the shape of self except along that axis.
std::string put_rows(Call& call, const std::string& rows, const std::string& updates,
                     const Attributes& reduction = {}) {
  const int64_t rank = call.tensor().dim(), axis = call.axis();
  Integers others = order_of(rank);
  std::erase(others, axis);
  const std::string wide = others.empty() ? rows : change_axes(call, "Unsqueeze", rows, others);
  const std::string index = call.emit("Expand", {wide, call.emit("Shape", {updates})});
  Attributes attributes = reduction;
  attributes["axis"] = axis;
  return call.emit("ScatterElements", {call.value(), index, updates}, attributes);
}

void index_add(Call& call) {
  if (call.tensor().dim() == 0) call.refuse("a tensor without axes is not covered");
  call.require_opset(16, "addition");
  std::string source = call.value("source", call.dtype());
  if (call.number("alpha") != 1) source = call.emit("Mul", {source, call.value("alpha", call.dtype())});
  call.set(put_rows(call, index_list(call), source, {{"reduction", std::string("add")}}));
}

void index_copy(Call& call) {
  if (call.tensor().dim() == 0) return call.set(call.value("source"));
  call.set(put_rows(call, index_list(call), call.value("source")));
}

void index_fill(Call& call) {
  const std::string index = index_list(call);
  const std::string value = call.value("value", call.dtype());
  if (call.tensor().dim() == 0) return call.set(value);
  const std::string rows = call.emit("Gather", {call.value(), index}, {{"axis", call.axis()}});
  call.set(put_rows(call, index, call.emit("Expand", {value, call.emit("Shape", {rows})})));
}

/// Writes the positions that a slice selects along the axis.
void slice_scatter(Call& call) {
  const std::string all = places_along(call, "self", call.axis());
  const std::string begin = call.has("start") ? call.shape("start") : call.constant_of({0});
  const std::string end = call.has("end") ? call.shape("end") : call.constant_of({kEnd});
  const std::string rows = call.emit("Slice", {all, begin, end, call.constant_of({0}), call.shape("step")});
  call.set(put_rows(call, rows, call.value("src")));
}

void select_scatter(Call& call) {
  call.set(put_rows(call, call.shape("index"), change_axes(call, "Unsqueeze", call.value("src"), {call.axis()})));
}

}  // namespace

void register_index_along_axis(Lowerings& lowerings) {
  lowerings.add("aten::index_select", index_select);
  lowerings.add("aten::index_add", index_add);
  lowerings.add("aten::index_copy", index_copy);
  lowerings.add({"aten::index_fill.int_Scalar", "aten::index_fill.int_Tensor"}, index_fill);
  lowerings.add("aten::slice_scatter", slice_scatter);
  lowerings.add("aten::select_scatter", select_scatter);
}

}  // namespace linnet::exporter
