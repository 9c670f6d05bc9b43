#include <cmath>
#include <functional>

#include "building_blocks.h"
#include "rule_list.h"

// Running sums, products and extremes along an axis, and differences of neighbours.
namespace linnet::exporter {
namespace {

void cumsum(Call& call) {
  const std::string x = call.value("self", call.dtype());
  if (call.tensor().dim() == 0) return call.set(x);
  call.set(call.emit("CumSum", {x, integer_of(call, call.axis())}));
}

/// Combines earlier and later values of the running result, which may be several tensors.
using Combine = std::function<Names(Call&, const Names& earlier, const Names& later)>;

/// Returns a running result of any associative step. Each round doubles the distance that it looks back. An open axis
/// has at most kMostElementsOfOpenAxis elements; rounds that look back beyond its begin change nothing.
Names scan(Call& call, Names y, int64_t axis, const Combine& combine) {
  constexpr int64_t kMostElementsOfOpenAxis = int64_t{1} << 31;
  const int64_t size = call.dynamic("self", axis) ? kMostElementsOfOpenAxis : call.tensor().size(axis);
  for (int64_t back = 1; back < size; back *= 2) {
    Names first, earlier, later;
    for (const std::string& part : y) {
      first.push_back(slice(call, part, axis, 0, back));
      earlier.push_back(slice(call, part, axis, 0, -back));
      later.push_back(slice(call, part, axis, back, kEnd));
    }
    const Names combined = combine(call, earlier, later);
    for (size_t i = 0; i < y.size(); ++i) {
      y[i] = call.emit("Concat", {first[i], combined[i]}, {{"axis", axis}});
    }
  }
  return y;
}

void cumprod(Call& call) {
  const std::string x = call.value("self", call.dtype());
  if (call.tensor().dim() == 0) return call.set(x);
  const auto product = [](Call& c, const Names& a, const Names& b) { return Names{c.emit("Mul", {a[0], b[0]})}; };
  call.set(scan(call, {x}, call.axis(), product)[0]);
}

/// Returns log(exp(a) + exp(b)). If both are equal, including infinities, it is a + log(2).
Names log_of_two(Call& call, const Names& a, const Names& b) {
  const DType dtype = call.dtype();
  const std::string distance = call.emit("Abs", {call.emit("Sub", {a[0], b[0]})});
  const std::string small = call.emit("Exp", {call.emit("Neg", {distance})});
  const std::string rest = call.emit("Log", {call.emit("Add", {small, call.scalar(1, dtype)})});
  const std::string sum = call.emit("Add", {call.emit("Max", {a[0], b[0]}), rest});
  const std::string doubled = call.emit("Add", {a[0], call.scalar(std::log(2), dtype)});
  return {call.emit("Where", {call.emit("Equal", {a[0], b[0]}), doubled, sum})};
}

void logcumsumexp(Call& call) {
  if (call.tensor().dim() == 0) return call.set(call.value());
  call.set(scan(call, {call.value()}, call.axis(), log_of_two)[0]);
}

/// Whether b replaces a: b is NaN, or order(b, a) holds.
std::string counts_more(Call& call, const std::string& order, const std::string& b, const std::string& a, DType dtype) {
  const std::string better = call.emit(order, {b, a});
  if (!is_floating(dtype)) return better;
  return call.emit("Or", {better, call.emit("IsNaN", {b})});
}

/// Emits values and positions. Of equal values the last counts, and NaN counts more than any number.
Lowering running_extreme(const std::string& order) {
  return [order](Call& call) {
    const TensorInfo& x = call.tensor();
    const std::string values = call.value("self", x.dtype == DType::kBool ? DType::kInt32 : x.dtype);
    if (x.dim() == 0) {
      call.set_result(0, call.value());
      return call.set_result(1, call.scalar(0, DType::kInt64));
    }
    const int64_t axis = call.axis();
    Integers sizes(size_t(x.dim()), 1);
    sizes[size_t(axis)] = -1;
    const std::string places = call.emit("Reshape", {places_along(call, "self", axis), call.constant_of(sizes)});
    const std::string positions = call.emit("Expand", {places, call.emit("Shape", {values})});
    const auto later_if_better = [&](Call& c, const Names& a, const Names& b) {
      const std::string better = counts_more(c, order, b[0], a[0], x.dtype);
      return Names{c.emit("Where", {better, b[0], a[0]}), c.emit("Where", {better, b[1], a[1]})};
    };
    const Names y = scan(call, {values, positions}, axis, later_if_better);
    call.set_result(0, x.dtype == DType::kBool ? call.cast(y[0], DType::kBool) : y[0]);
    call.set_result(1, y[1]);
  };
}

/// Emits differences of neighbours, n times.
void diff(Call& call) {
  const int64_t axis = call.axis();
  const DType dtype = call.dtype();
  Names parts;
  for (const char* name : {"prepend", "self", "append"}) {
    if (call.has(name)) parts.push_back(call.value(name, dtype));
  }
  std::string y = parts.size() == 1 ? parts[0] : call.emit("Concat", parts, {{"axis", axis}});
  for (int64_t i = 0, rounds = rounds_of(call, "n"); i < rounds; ++i) {
    const Names neighbours{slice(call, y, axis, 1, kEnd), slice(call, y, axis, 0, -1)};
    y = call.emit(dtype == DType::kBool ? "Xor" : "Sub", neighbours);
  }
  call.set(y);
}

}  // namespace

void register_scans(Lowerings& lowerings) {
  lowerings.add("aten::cumsum", cumsum);
  lowerings.add("aten::cumprod", cumprod);
  lowerings.add("aten::logcumsumexp", logcumsumexp);
  lowerings.add("aten::cummax", running_extreme("GreaterOrEqual"));
  lowerings.add("aten::cummin", running_extreme("LessOrEqual"));
  lowerings.add("aten::diff", diff);
}

}  // namespace linnet::exporter
