#include "building_blocks.h"
#include "rule_list.h"

// Integrals and derivatives of functions that are sampled at points along an axis.
namespace linnet::exporter {
namespace {

/// Returns the differences of neighbours, or their sums.
std::string neighbours(Call& call, const std::string& op_type, const std::string& x, int64_t axis) {
  return call.emit(op_type, {slice(call, x, axis, 1, kEnd), slice(call, x, axis, 0, -1)});
}

/// Returns the distances of neighbouring points. A single list applies along all other axes.
std::string widths(Call& call, int64_t axis) {
  if (!call.has("x")) return call.value("dx", call.dtype());
  const std::string x = call.value("x", call.dtype());
  const int64_t rank = call.tensor("x").dim(), behind = call.tensor("y").dim() - 1 - axis;
  if (rank != 1) return neighbours(call, "Sub", x, axis - (call.tensor("y").dim() - rank));
  const std::string list = neighbours(call, "Sub", x, 0);
  Integers axes;
  for (int64_t i = 1; i <= behind; ++i) axes.push_back(i);
  return axes.empty() ? list : change_axes(call, "Unsqueeze", list, axes);
}

/// Returns the areas between neighbours.
std::string trapezoids(Call& call, int64_t axis) {
  const DType dtype = call.dtype();
  const std::string sums = neighbours(call, "Add", call.value("y", dtype), axis);
  return call.emit("Mul", {call.emit("Mul", {sums, widths(call, axis)}), call.scalar(0.5, dtype)});
}

void trapezoid(Call& call) {
  if (!is_floating(call.dtype())) call.refuse("only floating-point tensors are covered");
  const int64_t axis = call.axis("dim", "y");
  call.set(reduce(call, "ReduceSum", trapezoids(call, axis), {axis}, false));
}

void cumulative_trapezoid(Call& call) {
  if (!is_floating(call.dtype())) call.refuse("only floating-point tensors are covered");
  const int64_t axis = call.axis("dim", "y");
  call.set(call.emit("CumSum", {trapezoids(call, axis), integer_of(call, axis)}));
}

/// Returns a x[begin] + b x[begin + 1] + c x[begin + 2], one position of the axis.
std::string weighted_point(Call& call, const std::string& x, int64_t axis, int64_t begin, const Numbers& weights) {
  std::string sum;
  for (size_t i = 0; i < weights.size(); ++i) {
    const int64_t place = begin + int64_t(i), end = place == -1 ? kEnd : place + 1;
    const std::string part =
        call.emit("Mul", {slice(call, x, axis, place, end), call.scalar(weights[i], call.tensor().dtype)});
    sum = sum.empty() ? part : call.emit("Add", {sum, part});
  }
  return sum;
}

/// Returns central differences, and one-sided differences of first or second order at both ends.
std::string gradient_along(Call& call, int64_t axis, double spacing) {
  const std::string x = call.value();
  const bool second = call.has("edge_order") && call.integer("edge_order") == 2;
  const std::string inner = call.emit("Sub", {slice(call, x, axis, 2, kEnd), slice(call, x, axis, 0, -2)});
  const std::string half = call.emit("Mul", {inner, call.scalar(0.5, call.tensor().dtype)});
  const std::string first = weighted_point(call, x, axis, 0, second ? Numbers{-1.5, 2, -0.5} : Numbers{-1, 1});
  const std::string last =
      weighted_point(call, x, axis, second ? -3 : -2, second ? Numbers{0.5, -2, 1.5} : Numbers{-1, 1});
  const std::string y = call.emit("Concat", {first, half, last}, {{"axis", axis}});
  return spacing == 1 ? y : call.emit("Div", {y, call.scalar(spacing, call.tensor().dtype)});
}

/// Emits one result for each axis. Each axis may have a separate spacing, or all share one.
void gradient(Call& call) {
  if (!is_floating(call.tensor().dtype)) call.refuse("only floating-point tensors are covered");
  const Integers axes = call.axes();
  Numbers spacing = call.has("spacing") ? call.numbers("spacing") : Numbers{1};
  if (spacing.size() == 1) spacing.resize(axes.size(), spacing[0]);
  Names results;
  for (size_t i = 0; i < axes.size(); ++i) results.push_back(gradient_along(call, axes[i], spacing[i]));
  call.set_list(results);
}

/// Emits the powers of each number, from the highest down or from 0 up.
void vander(Call& call) {
  const DType dtype = call.dtype();
  const std::string count = call.has("N") ? call.shape("N") : call.size("x", 0);
  std::string powers = places_below(call, count);
  if (!call.flag("increasing")) {
    powers = call.emit("Sub", {call.emit("Sub", {count, call.constant_of({1})}), powers});
  }
  const std::string column = change_axes(call, "Unsqueeze", call.value("x", dtype), {1});
  call.set(call.emit("Pow", {column, call.cast(powers, dtype)}));
}

}  // namespace

void register_sampled_functions(Lowerings& lowerings) {
  lowerings.add({"aten::trapezoid.x", "aten::trapezoid.dx", "aten::trapz.x", "aten::trapz.dx"}, trapezoid);
  lowerings.add({"aten::cumulative_trapezoid.x", "aten::cumulative_trapezoid.dx"}, cumulative_trapezoid);
  lowerings.add({"aten::gradient.scalarint", "aten::gradient.scalararray", "aten::gradient.array",
                 "aten::gradient.scalarrayint", "aten::gradient.scalarrayarray"},
                gradient);
  lowerings.add("aten::vander", vander);
}

}  // namespace linnet::exporter
