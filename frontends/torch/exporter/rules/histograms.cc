#include "building_blocks.h"
#include "rule_list.h"

// How often numbers occur.
namespace linnet::exporter {
namespace {

/// `counts`, int64 of shape [1], zeros in the dtype of `weights`, to each of which the weights are added whose place is
/// there. What has its place after them does not count.
std::string sums_at(Call& call, const std::string& counts, const std::string& places, const std::string& weights) {
  call.require_opset(16, "counting");
  const std::string one_more = call.emit("Add", {counts, call.constant_of({1})});
  const std::string zeros = call.emit("Expand", {call.scalar(0, call.dtype()), one_more});
  const Attributes add{{"axis", int64_t(0)}, {"reduction", std::string("add")}};
  return slice(call, call.emit("ScatterElements", {zeros, places, weights}, add), 0, 0, -1);
}

/// The bounds of the bins, [1]: those given, or where they are equal those of the elements, which if they are equal
/// too get one more at each side.
Names bounds_of(Call& call, const std::string& x, double least, double most) {
  const DType dtype = call.dtype();
  if (least != most) return {call.scalar(least, dtype), call.scalar(most, dtype)};
  const std::string low = reduce(call, "ReduceMin", x, {0}, true), high = reduce(call, "ReduceMax", x, {0}, true);
  const std::string none = call.cast(call.emit("Equal", {low, high}), dtype);
  return {call.emit("Sub", {low, none}), call.emit("Add", {high, none})};
}

/// Bins of equal width from min to max; the last one has both of its ends.
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

/// As many counts as the largest number says, or minlength.
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
