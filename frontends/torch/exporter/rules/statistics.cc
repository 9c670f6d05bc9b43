#include <cmath>

#include "building_blocks.h"
#include "rule_list.h"

// Quantiles, the most frequent elements, membership, bounded norms.
namespace linnet::exporter {
namespace {

/// Returns self in a dtype that ONNX can order and compare: int32 for bool.
std::string comparable(Call& call) {
  const DType dtype = call.tensor().dtype;
  return call.value("self", dtype == DType::kBool ? DType::kInt32 : dtype);
}

/// Emits the least of the most frequent elements, and its last position.
void mode(Call& call) {
  const DType dtype = call.tensor().dtype;
  if (call.tensor().dim() == 0) {
    call.set_result(0, call.value());
    return call.set_result(1, call.scalar(0, DType::kInt64));
  }
  const int64_t axis = call.axis(), keep = call.flag("keepdim");
  const std::string x = comparable(call);
  const Attributes ascending{{"axis", axis}, {"largest", int64_t(0)}, {"sorted", int64_t(1)}};
  const std::string sorted = call.emit_many("TopK", {x, call.size("self", axis)}, ascending, 2)[0];
  const std::string same = call.emit(
      "Equal", {change_axes(call, "Unsqueeze", sorted, {axis + 1}), change_axes(call, "Unsqueeze", sorted, {axis})});
  const std::string counts = reduce(call, "ReduceSum", call.cast(same, DType::kInt32), {axis + 1}, false);
  const std::string most = call.emit("ArgMax", {counts}, {{"axis", axis}, {"keepdims", int64_t(1)}});
  std::string value = call.emit("GatherElements", {sorted, most}, {{"axis", axis}});
  const std::string places = call.cast(call.emit("Equal", {x, value}), DType::kInt32);
  const Attributes last{{"axis", axis}, {"keepdims", keep}, {"select_last_index", int64_t(1)}};
  if (keep == 0) value = change_axes(call, "Squeeze", value, {axis});
  call.set_result(0, call.cast(value, dtype));
  call.set_result(1, call.emit("ArgMax", {places}, last));
}

/// Emits whether each element is in a list.
void isin(Call& call) {
  const char* const elements = call.has("elements") ? "elements" : "element";
  const char* const tests = call.has("test_elements") ? "test_elements" : "test_element";
  const DType dtype = call.promoted({elements, tests});
  const std::string x = call.value(elements, dtype), list = flattened(call, call.value(tests, dtype));
  const std::string same = call.emit("Equal", {change_axes(call, "Unsqueeze", x, {-1}), list});
  const std::string count = reduce(call, "ReduceSum", call.cast(same, DType::kInt32), {-1}, false);
  const std::string found = call.cast(count, DType::kBool);
  call.set(call.flag("invert") ? call.emit("Not", {found}) : found);
}

/// Scales slices along an axis down to a bound if their norm exceeds it.
void renorm(Call& call) {
  const DType dtype = call.dtype();
  Integers others = order_of(call.tensor().dim());
  if (others.empty()) call.refuse("a number has no axes");
  others.erase(others.begin() + call.axis());
  const std::string norm = p_norm(call, call.value("self", dtype), call.number("p"), others, true);
  const std::string bound = call.value("maxnorm", dtype);
  const std::string divisor = call.emit("Add", {norm, call.scalar(1e-7, dtype)});
  const std::string is_above = call.emit("Greater", {norm, bound});
  const std::string factor = call.emit("Where", {is_above, call.emit("Div", {bound, divisor}), call.scalar(1, dtype)});
  call.set(call.emit("Mul", {call.value("self", dtype), factor}));
}

/// Returns the element at a place between two sorted ones, according to `interpolation`.
std::string element_at(Call& call, const std::string& sorted, const std::string& place, int64_t axis) {
  const DType dtype = call.dtype();
  const std::string kind = call.text("interpolation");
  const auto at = [&](const std::string& whole) {
    return call.emit("Gather", {sorted, call.cast(whole, DType::kInt64)}, {{"axis", axis}});
  };
  if (kind == "nearest") return at(call.emit("Round", {place}));
  const std::string low = call.emit("Floor", {place}), high = call.emit("Ceil", {place});
  if (kind == "lower") return at(low);
  if (kind == "higher") return at(high);
  const std::string part =
      kind == "midpoint" ? call.scalar(0.5, dtype) : call.cast(call.emit("Sub", {place, low}), dtype);
  const std::string lower = at(low);
  return call.emit("Add", {lower, call.emit("Mul", {call.emit("Sub", {at(high), lower}), part})});
}

/// Emits quantiles along an axis or of all elements. If an element is NaN, the quantile is NaN.
void quantile(Call& call) {
  const DType dtype = call.dtype();
  const bool flat = !call.has("dim"), keep = call.flag("keepdim");
  if (flat && keep) call.refuse("keepdim without an axis is not covered");
  const std::string x = flat ? flattened(call, call.value("self", dtype)) : call.value("self", dtype);
  const int64_t axis = flat ? 0 : call.axis();
  const std::string size = flat ? call.emit("Shape", {x}) : call.size("self", axis);
  const Attributes ascending{{"axis", axis}, {"largest", int64_t(0)}, {"sorted", int64_t(1)}};
  const std::string sorted = call.emit_many("TopK", {x, size}, ascending, 2)[0];
  const std::string last = call.cast(call.emit("Sub", {size, call.constant_of({1})}), DType::kFloat64);
  const std::string place = call.emit("Mul", {last, call.scalar(call.number("q"), DType::kFloat64)});
  std::string y = element_at(call, sorted, place, axis);
  const std::string marks = call.cast(call.emit("IsNaN", {x}), DType::kFloat32);
  const std::string any = call.cast(reduce(call, "ReduceMax", marks, {axis}, true), DType::kBool);
  y = call.emit("Where", {any, call.scalar(NAN, dtype), y});
  call.set(keep ? y : change_axes(call, "Squeeze", y, {axis}));
}

}  // namespace

void register_statistics(Lowerings& lowerings) {
  lowerings.add("aten::mode", mode);
  lowerings.add({"aten::isin.Tensor_Tensor", "aten::isin.Tensor_Scalar", "aten::isin.Scalar_Tensor"}, isin);
  lowerings.add("aten::renorm", renorm);
  lowerings.add("aten::quantile.scalar", quantile);
}

}  // namespace linnet::exporter
