#include "building_blocks.h"
#include "rule_list.h"

// Counts of numbers.
namespace linnet::exporter {
namespace {

/// Returns `counts` (int64 [1]) sums in the dtype of `weights`: each weight is added at its place. A weight whose place
/// is `counts` is ignored.
std::string sums_at(Call& call, const std::string& counts, const std::string& places, const std::string& weights) {
  call.require_opset(16, "counting");
  const std::string one_more = call.emit("Add", {counts, call.constant_of({1})});
  const std::string zeros = call.emit("Expand", {call.scalar(0, call.dtype()), one_more});
  const Attributes add{{"axis", int64_t(0)}, {"reduction", std::string("add")}};
  return slice(call, call.emit("ScatterElements", {zeros, places, weights}, add), 0, 0, -1);
}

/// Returns the bounds of the bins, each [1]. If the given bounds are equal, they are those of the elements. If these
/// are equal, too, they are widened by one at each side.
Names bounds_of(Call& call, const std::string& x, double least, double most) {
  const DType dtype = call.dtype();
  if (least != most) return {call.scalar(least, dtype), call.scalar(most, dtype)};
  const std::string low = reduce(call, "ReduceMin", x, {0}, true), high = reduce(call, "ReduceMax", x, {0}, true);
  const std::string none = call.cast(call.emit("Equal", {low, high}), dtype);
  return {call.emit("Sub", {low, none}), call.emit("Add", {high, none})};
}

/// Counts elements in bins of equal width from min to max. The last bin includes both of its ends.
void histc(Call& call) {
  const DType dtype = call.dtype();
  const int64_t bins = call.positive("bins");
  check_table(call, bins, 1);
  const std::string x = flattened(call, call.value("self", dtype));
  const Names bounds = bounds_of(call, x, call.number("min"), call.number("max"));
  const std::string scaled = call.emit("Mul", {call.emit("Sub", {x, bounds[0]}), call.scalar(double(bins), dtype)});
  const std::string place = call.emit("Div", {scaled, call.emit("Sub", {bounds[1], bounds[0]})});
  const std::string inside =
      call.emit("And", {call.emit("GreaterOrEqual", {x, bounds[0]}), call.emit("LessOrEqual", {x, bounds[1]})});
  const std::string known = call.emit("Where", {inside, place, call.scalar(0, dtype)});
  const std::string bin = call.emit("Min", {call.cast(known, DType::kInt64), integer_of(call, bins - 1)});
  const std::string ones = call.emit("Expand", {call.scalar(1, dtype), call.emit("Shape", {x})});
  call.set(sums_at(call, call.constant_of({bins}), call.emit("Where", {inside, bin, integer_of(call, bins)}), ones));
}

/// Emits as many counts as the largest element plus 1, at least minlength.
void bincount(Call& call) {
  const std::string x = call.value("self", DType::kInt64);
  const std::string least = call.emit("Sub", {call.shape("minlength"), call.constant_of({1})});
  const std::string all = call.emit("Concat", {x, least}, {{"axis", 0}});
  const std::string counts = call.emit("Add", {reduce(call, "ReduceMax", all, {0}, true), call.constant_of({1})});
  const std::string weights = call.has("weights")
                                  ? call.value("weights", call.dtype())
                                  : call.emit("Expand", {call.scalar(1, call.dtype()), call.emit("Shape", {x})});
  call.set(sums_at(call, counts, x, weights));
  call.decided_by_contents();
}

}  // namespace

void register_histograms(Lowerings& lowerings) {
  lowerings.add("aten::histc", histc);
  lowerings.add("aten::bincount", bincount);
}

}  // namespace linnet::exporter
