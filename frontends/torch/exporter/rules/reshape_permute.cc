#include <algorithm>

#include "building_blocks.h"
#include "rule_list.h"

// Changes of shape, and permutations of axes.
namespace linnet::exporter {
namespace {

/// Reshapes to a computed shape. Without allowzero, a size of 0 would mean that of the input's axis.
void reshape_exactly(Call& call, const std::string& shape) {
  const bool exact = call.options().opset >= 14;
  call.set(call.emit("Reshape", {call.value(), shape}, exact ? Attributes{{"allowzero", 1}} : Attributes{}));
}

void reshape_to(Call& call, const std::string& argument) {
  if (call.result().numel() == 0 && !call.result_is_dynamic()) return call.set(reshaped_to_result(call, call.value()));
  if (!call.constant(argument)) return reshape_exactly(call, call.shape(argument));
  call.set(call.emit("Reshape", {call.value(), call.shape(argument)}));
}

void reshape(Call& call) { reshape_to(call, "shape"); }
void view(Call& call) { reshape_to(call, "size"); }

/// Reshapes to the shape of the result, which follows from the arguments.
void reshape_to_result(Call& call) { call.set(reshaped_to_result(call, call.value())); }

/// Returns how many of the given axes of self have sizes that differ between runs.
int64_t open_sizes(Call& call, const Integers& axes) {
  return std::ranges::count_if(axes, [&](int64_t axis) { return call.dynamic("self", axis); });
}

Names sizes_of(Call& call, int64_t begin, int64_t end) {
  Names sizes;
  for (int64_t axis = begin; axis < end; ++axis) sizes.push_back(call.size("self", axis));
  return sizes;
}

/// Merges axes start to end.
void flatten(Call& call) {
  const int64_t rank = call.tensor().dim();
  if (rank == 0) return reshape_to_result(call);
  const int64_t start = call.axis("start_dim"), end = call.axis("end_dim") + 1;
  if (start >= end) call.refuse("its first axis is after its last one");
  Integers others = order_of(rank);
  others.erase(others.begin() + start, others.begin() + end);
  if (open_sizes(call, others) == 0) return reshape_to_result(call);
  Names sizes = sizes_of(call, 0, start);
  std::string merged;
  for (const std::string& size : sizes_of(call, start, end)) {
    merged = merged.empty() ? size : call.emit("Mul", {merged, size});
  }
  sizes.push_back(merged);
  for (const std::string& size : sizes_of(call, end, rank)) sizes.push_back(size);
  reshape_exactly(call, call.emit("Concat", sizes, {{"axis", 0}}));
}

/// Returns the sizes that an axis is split into. A size of -1 is replaced by the quotient of the axis' size and the
/// others.
std::string sizes_within(Call& call, int64_t axis) {
  const std::string sizes = call.shape("sizes"), zero = call.constant_of({0});
  if (call.constant("sizes")) {
    const Integers numbers = call.integers("sizes");
    if (std::ranges::find(numbers, -1) == numbers.end()) return sizes;
  }
  const std::string others = call.emit("Neg", {reduce(call, "ReduceProd", sizes, {0}, true)});
  const std::string rest = call.emit("Div", {call.size("self", axis), others});
  return call.emit("Where", {call.emit("Less", {sizes, zero}), rest, sizes});
}

/// Splits an axis into several.
void unflatten(Call& call) {
  const int64_t axis = call.axis(), rank = call.tensor().dim();
  if (open_sizes(call, order_of(rank)) <= 1 && call.constant("sizes")) return reshape_to_result(call);
  Names sizes = sizes_of(call, 0, axis);
  sizes.push_back(sizes_within(call, axis));
  for (const std::string& size : sizes_of(call, axis + 1, rank)) sizes.push_back(size);
  reshape_exactly(call, call.emit("Concat", sizes, {{"axis", 0}}));
}

void reshape_as_other(Call& call) {
  if (!call.result_is_dynamic()) return reshape_to_result(call);
  reshape_exactly(call, call.emit("Shape", {call.value("other")}));
}

void unsqueeze(Call& call) {
  const int64_t axis = call.integer("dim");
  call.set(change_axes(call, "Unsqueeze", call.value(), {axis < 0 ? axis + call.tensor().dim() + 1 : axis}));
}

/// Removes those of the given axes that have size 1.
void squeeze_axes(Call& call, Integers axes) {
  std::erase_if(axes, [&](int64_t axis) { return axis >= call.tensor().dim() || call.tensor().size(axis) != 1; });
  call.set(axes.empty() ? call.value() : change_axes(call, "Squeeze", call.value(), axes));
}

void squeeze(Call& call) { squeeze_axes(call, order_of(call.tensor().dim())); }
void squeeze_dim(Call& call) { squeeze_axes(call, call.axes()); }

void permute(Call& call) { call.set(transposed(call, call.value(), call.axes("dims"))); }

void swap_axes(Call& call, int64_t a, int64_t b) {
  Integers order = order_of(call.tensor().dim());
  if (!order.empty()) std::swap(order[size_t(a)], order[size_t(b)]);
  call.set(transposed(call, call.value(), order));
}

void transpose(Call& call) { swap_axes(call, call.axis("dim0"), call.axis("dim1")); }
void swapaxes(Call& call) { swap_axes(call, call.axis("axis0"), call.axis("axis1")); }

/// Swaps the last two axes; numpy_T reverses all axes.
void t(Call& call) { swap_axes(call, 0, std::max<int64_t>(call.tensor().dim() - 1, 0)); }
void matrix_transpose(Call& call) { swap_axes(call, call.tensor().dim() - 2, call.tensor().dim() - 1); }
void numpy_t(Call& call) {
  Integers order = order_of(call.tensor().dim());
  std::reverse(order.begin(), order.end());
  call.set(transposed(call, call.value(), order));
}

void movedim(Call& call) {
  const Integers from = call.axes("source"), to = call.axes("destination");
  const int64_t rank = call.tensor().dim();
  Integers order(size_t(rank), -1);
  for (size_t i = 0; i < from.size(); ++i) order[size_t(to[i])] = from[i];
  int64_t next = 0;
  for (int64_t& axis : order) {
    if (axis >= 0) continue;
    while (std::find(from.begin(), from.end(), next) != from.end()) ++next;
    axis = next++;
  }
  call.set(transposed(call, call.value(), order));
}

}  // namespace

void register_reshape_permute(Lowerings& lowerings) {
  lowerings.add({"aten::view", "aten::_unsafe_view"}, view);
  lowerings.add({"aten::reshape", "aten::_reshape_alias"}, reshape);
  lowerings.add("aten::flatten.using_ints", flatten);
  lowerings.add("aten::unflatten.int", unflatten);
  lowerings.add({"aten::view_as", "aten::reshape_as"}, reshape_as_other);
  lowerings.add({"aten::ravel", "aten::atleast_1d", "aten::atleast_2d", "aten::atleast_3d"}, reshape_to_result);
  lowerings.add("aten::unsqueeze", unsqueeze);
  lowerings.add("aten::squeeze", squeeze);
  lowerings.add({"aten::squeeze.dim", "aten::squeeze.dims"}, squeeze_dim);
  lowerings.add("aten::permute", permute);
  lowerings.add({"aten::transpose.int", "aten::transpose"}, transpose);
  lowerings.add({"aten::swapaxes"}, swapaxes);
  lowerings.add("aten::swapdims", transpose);
  lowerings.add({"aten::t", "aten::matrix_H"}, t);
  lowerings.add({"aten::mT", "aten::mH", "aten::adjoint"}, matrix_transpose);
  lowerings.add("aten::numpy_T", numpy_t);
  lowerings.add({"aten::movedim.intlist", "aten::movedim.int", "aten::moveaxis.intlist", "aten::moveaxis.int"},
                movedim);
}

}  // namespace linnet::exporter
