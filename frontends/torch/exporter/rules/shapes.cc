#include <ATen/ATen.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "rule_list.h"
#include "shared.h"

// Views and copies: the same elements in another shape, order or number.
namespace linnet::exporter {
namespace {

constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();

void identity(Call& call) { call.set(call.value()); }

/// The form in place names its argument differently.
void dropout(Call& call) { call.set(call.value(call.has("self") ? "self" : "input")); }

std::vector<int64_t> order_of(int64_t rank) {
  std::vector<int64_t> order;
  order.resize(size_t(rank));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::string transposed(Call& call, const std::vector<int64_t>& order) {
  return order.empty() ? call.value() : call.emit("Transpose", {call.value()}, {{"perm", order}});
}

/// A shape with 0 for an empty axis would copy an axis of the input.
void reshape_to(Call& call, const std::string& argument) {
  const Attributes exact =
      call.tensor().numel() == 0 && call.options().opset >= 14 ? Attributes{{"allowzero", 1}} : Attributes{};
  call.set(call.emit("Reshape", {call.value(), call.shape(argument)}, exact));
}

void reshape(Call& call) { reshape_to(call, "shape"); }
void view(Call& call) { reshape_to(call, "size"); }

/// To the shape of the result, which follows from the arguments.
void reshape_to_result(Call& call) { call.set(call.emit("Reshape", {call.value(), call.result_shape()})); }

void unsqueeze(Call& call) {
  const int64_t axis = call.integer("dim");
  call.set(change_axes(call, "Unsqueeze", call.value(), {axis < 0 ? axis + call.tensor().dim() + 1 : axis}));
}

/// Removes the given axes that have size 1.
void squeeze_axes(Call& call, std::vector<int64_t> axes) {
  std::erase_if(axes, [&](int64_t axis) { return axis >= call.tensor().dim() || call.tensor().size(axis) != 1; });
  call.set(axes.empty() ? call.value() : change_axes(call, "Squeeze", call.value(), axes));
}

void squeeze(Call& call) { squeeze_axes(call, order_of(call.tensor().dim())); }
void squeeze_dim(Call& call) { squeeze_axes(call, call.axes()); }

void permute(Call& call) { call.set(transposed(call, call.axes("dims"))); }

void swap_axes(Call& call, int64_t a, int64_t b) {
  std::vector<int64_t> order = order_of(call.tensor().dim());
  if (!order.empty()) std::swap(order[size_t(a)], order[size_t(b)]);
  call.set(transposed(call, order));
}

void transpose(Call& call) { swap_axes(call, call.axis("dim0"), call.axis("dim1")); }
void swapaxes(Call& call) { swap_axes(call, call.axis("axis0"), call.axis("axis1")); }

/// The last two axes; all axes in turn for numpy_T.
void t(Call& call) { swap_axes(call, 0, std::max<int64_t>(call.tensor().dim() - 1, 0)); }
void matrix_transpose(Call& call) { swap_axes(call, call.tensor().dim() - 2, call.tensor().dim() - 1); }
void numpy_t(Call& call) {
  std::vector<int64_t> order = order_of(call.tensor().dim());
  std::reverse(order.begin(), order.end());
  call.set(transposed(call, order));
}

void movedim(Call& call) {
  const std::vector<int64_t> from = call.axes("source"), to = call.axes("destination");
  const int64_t rank = call.tensor().dim();
  std::vector<int64_t> order(size_t(rank), -1);
  for (size_t i = 0; i < from.size(); ++i) order[size_t(to[i])] = from[i];
  int64_t next = 0;
  for (int64_t& axis : order) {
    if (axis >= 0) continue;
    while (std::find(from.begin(), from.end(), next) != from.end()) ++next;
    axis = next++;
  }
  call.set(transposed(call, order));
}

/// Axes of size -1 stay; new ones come in front.
void expand(Call& call) {
  if (!call.constant("size")) return call.set(call.emit("Expand", {call.value(), call.shape("size")}));
  std::vector<int64_t> sizes = call.integers("size");
  for (int64_t& size : sizes) size = size == -1 ? 1 : size;
  call.set(call.emit("Expand", {call.value(), call.constant_of(sizes)}));
}

void expand_as(Call& call) { call.set(call.emit("Expand", {call.value(), call.emit("Shape", {call.value("other")})})); }

std::string with_leading_axes(Call& call, int64_t rank) {
  std::vector<int64_t> axes = order_of(std::max<int64_t>(rank - call.tensor().dim(), 0));
  return axes.empty() ? call.value() : change_axes(call, "Unsqueeze", call.value(), axes);
}

void repeat(Call& call) {
  call.set(call.emit("Tile", {with_leading_axes(call, call.result().dim()), call.shape("repeats")}));
}

void tile(Call& call) {
  std::vector<int64_t> repeats = call.integers("dims");
  while (int64_t(repeats.size()) < call.tensor().dim()) repeats.insert(repeats.begin(), 1);
  call.set(call.emit("Tile", {with_leading_axes(call, int64_t(repeats.size())), call.constant_of(repeats)}));
}

/// Each element `repeats` times: a new axis behind, expanded and merged.
void repeat_interleave(Call& call) {
  if (!call.has("dim")) call.refuse("it needs an axis");
  const int64_t axis = call.axis(), count = call.integer("repeats"), rank = call.tensor().dim();
  std::vector<int64_t> sizes(size_t(rank + 1), 1);
  sizes[size_t(axis) + 1] = count;
  const std::string wide = change_axes(call, "Unsqueeze", call.value(), {axis + 1});
  const std::string copies = call.emit("Expand", {wide, call.constant_of(sizes)});
  call.set(call.emit("Reshape", {copies, call.result_shape()}));
}

/// Empty tensors of rank 1 may stand in a list of others.
void cat(Call& call) {
  Names parts = call.values("tensors", call.dtype());
  const std::vector<at::Tensor> tensors = call.tensors("tensors");
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

/// A list of parts of the given sizes.
void split_into(Call& call, const std::vector<int64_t>& sizes, int64_t axis) {
  if (sizes.size() == 1) return call.set_list({call.value()});
  call.set_list(call.emit_many("Split", {call.value(), call.constant_of(sizes)}, {{"axis", axis}}, sizes.size()));
}

std::vector<int64_t> equal_parts(int64_t total, int64_t part) {
  std::vector<int64_t> sizes;
  for (int64_t done = 0; done < total; done += part) sizes.push_back(std::min(part, total - done));
  return sizes.empty() ? std::vector<int64_t>{0} : sizes;
}

void split(Call& call) {
  const int64_t axis = call.axis();
  split_into(call, equal_parts(call.tensor().size(axis), call.integer("split_size")), axis);
}
void split_sizes(Call& call) { split_into(call, call.integers("split_sizes"), call.axis()); }
void split_list(Call& call) { split_into(call, call.integers("split_size"), call.axis()); }

void chunk(Call& call) {
  const int64_t axis = call.axis(), total = call.tensor().size(axis), chunks = call.integer("chunks");
  split_into(call, equal_parts(total, std::max<int64_t>((total + chunks - 1) / chunks, 1)), axis);
}

void tensor_split(Call& call) {
  const int64_t axis = call.axis(), total = call.tensor().size(axis), parts = call.integer("sections");
  std::vector<int64_t> sizes;
  for (int64_t i = 0; i < parts; ++i) sizes.push_back(total / parts + (i < total % parts));
  split_into(call, sizes, axis);
}

void unbind(Call& call) {
  const int64_t axis = call.axis(), count = call.tensor().size(axis);
  Names parts;
  for (int64_t i = 0; i < count; ++i) {
    parts.push_back(
        call.emit("Gather", {call.value(), call.constant_of(at::scalar_tensor(i, at::kLong))}, {{"axis", axis}}));
  }
  call.set_list(parts);
}

/// Bounds may be None or graph values. Negative ones count from the end, in ONNX as in PyTorch.
void slice_rule(Call& call) {
  const auto bound = [&](const std::string& name, int64_t absent) {
    return call.has(name) ? call.shape(name) : call.constant_of({absent});
  };
  const std::string begin = bound("start", 0), end = bound("end", kEnd);
  call.set(call.emit("Slice", {call.value(), begin, end, call.constant_of({call.axis()}), call.shape("step")}));
}

/// One position of an axis, which goes.
void select(Call& call) {
  const std::string index = call.constant("index")
                                ? call.constant_of(at::scalar_tensor(call.integer("index"), at::kLong))
                                : call.value("index", at::kLong);
  call.set(call.emit("Gather", {call.value(), index}, {{"axis", call.axis()}}));
}

void narrow(Call& call) {
  const std::string begin = call.shape("start");
  const std::string end = call.emit("Add", {begin, call.shape("length")});
  call.set(call.emit("Slice", {call.value(), begin, end, call.constant_of({call.axis()})}));
}

void flip(Call& call) {
  std::string y = call.value();
  for (const int64_t axis : call.axes("dims")) y = slice(call, y, axis, -1, std::numeric_limits<int64_t>::min(), -1);
  call.set(y);
}

/// Each axis turns: its end comes to the front.
void roll(Call& call) {
  if (call.integers("dims").empty()) call.refuse("it needs axes");
  const std::vector<int64_t> shifts = call.integers("shifts"), axes = call.axes("dims");
  std::string y = call.value();
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t size = call.tensor().size(axes[i]);
    const int64_t shift = size == 0 ? 0 : (shifts[i] % size + size) % size;
    if (shift == 0) continue;
    y = call.emit("Concat", {slice(call, y, axes[i], -shift, kEnd), slice(call, y, axes[i], 0, -shift)},
                  {{"axis", axes[i]}});
  }
  call.set(y);
}

/// Pairs for the last axis first become all begins, then all ends; negative ones cut.
void pad_with(Call& call, const std::string& mode, const std::string& value) {
  const std::vector<int64_t> pairs = call.integers(call.has("pad") ? "pad" : "padding");
  const int64_t rank = call.tensor().dim();
  std::vector<int64_t> pads(size_t(2 * rank), 0);
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    const int64_t axis = rank - 1 - int64_t(i / 2);
    pads[size_t(axis)] = pairs[i];
    pads[size_t(axis + rank)] = pairs[i + 1];
  }
  call.set(call.emit("Pad", {call.value(), call.constant_of(pads), value}, {{"mode", mode}}));
}

void constant_pad(Call& call) { pad_with(call, "constant", call.value("value", call.dtype())); }
void reflection_pad(Call& call) { pad_with(call, "reflect", ""); }
void replication_pad(Call& call) { pad_with(call, "edge", ""); }

/// The other side's rows go to both ends of each axis.
void circular_pad(Call& call) {
  const std::vector<int64_t> pairs = call.integers("pad");
  std::string y = call.value();
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    const int64_t axis = call.tensor().dim() - 1 - int64_t(i / 2), before = pairs[i], after = pairs[i + 1];
    if (before < 0 || after < 0) call.refuse("a negative circular padding is not covered");
    Names parts{y};
    if (before > 0) parts.insert(parts.begin(), slice(call, y, axis, -before, kEnd));
    if (after > 0) parts.push_back(slice(call, y, axis, 0, after));
    if (parts.size() > 1) y = call.emit("Concat", parts, {{"axis", axis}});
  }
  call.set(y);
}

void pad(Call& call) {
  const std::string mode = call.text("mode");
  if (mode == "circular") return circular_pad(call);
  if (mode == "reflect") return reflection_pad(call);
  if (mode == "replicate") return replication_pad(call);
  pad_with(call, "constant", call.has("value") ? call.value("value", call.dtype()) : call.scalar(0, call.dtype()));
}

void pixel_shuffle(Call& call) {
  const Attributes attributes{{"blocksize", call.integer("upscale_factor")}, {"mode", "CRD"}};
  call.set(call.emit("DepthToSpace", {call.value()}, attributes));
}

/// [c, h r, w r] as [c, h, r, w, r], then [c r r, h, w].
void pixel_unshuffle(Call& call) {
  const int64_t r = call.integer("downscale_factor");
  const at::IntArrayRef in = call.tensor().sizes(), out = call.result().sizes();
  if (in.size() != 4) call.refuse("only inputs of 4 axes are covered");
  const std::string wide = call.emit("Reshape", {call.value(), call.constant_of({0, in[1], out[2], r, out[3], r})});
  const std::string turned = call.emit("Transpose", {wide}, {{"perm", std::vector<int64_t>{0, 1, 3, 5, 2, 4}}});
  call.set(call.emit("Reshape", {turned, call.constant_of({0, out[1], out[2], out[3]})}));
}

void channel_shuffle(Call& call) {
  const int64_t groups = call.integer("groups"), channels = call.tensor().size(1);
  if (call.tensor().dim() != 4) call.refuse("only inputs of 4 axes are covered");
  const std::string shape = call.emit("Shape", {call.value()});
  const std::string flat = call.emit("Reshape", {call.value(), call.constant_of({0, groups, channels / groups, -1})});
  call.set(call.emit("Reshape", {call.emit("Transpose", {flat}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}}), shape}));
}

void register_views(Lowerings& lowerings) {
  lowerings.add({"aten::view", "aten::_unsafe_view"}, view);
  lowerings.add({"aten::reshape", "aten::_reshape_alias"}, reshape);
  lowerings.add({"aten::flatten.using_ints", "aten::unflatten.int", "aten::view_as", "aten::reshape_as", "aten::ravel",
                 "aten::atleast_1d", "aten::atleast_2d", "aten::atleast_3d"},
                reshape_to_result);
  lowerings.add("aten::unsqueeze", unsqueeze);
  lowerings.add("aten::squeeze", squeeze);
  lowerings.add({"aten::squeeze.dim", "aten::squeeze.dims"}, squeeze_dim);
  lowerings.add("aten::permute", permute);
  lowerings.add("aten::transpose.int", transpose);
  lowerings.add({"aten::swapaxes"}, swapaxes);
  lowerings.add("aten::swapdims", transpose);
  lowerings.add("aten::t", t);
  lowerings.add({"aten::mT", "aten::adjoint"}, matrix_transpose);
  lowerings.add({"aten::T", "aten::numpy_T"}, numpy_t);
  lowerings.add({"aten::movedim.intlist", "aten::movedim.int", "aten::moveaxis.intlist", "aten::moveaxis.int"},
                movedim);
  lowerings.add("aten::expand", expand);
  lowerings.add("aten::broadcast_to", expand);
  lowerings.add("aten::expand_as", expand_as);
  lowerings.add({"aten::contiguous", "aten::clone", "aten::detach", "aten::alias", "aten::positive", "aten::lift_fresh",
                 "aten::resolve_conj", "aten::resolve_neg", "aten::cpu"},
                identity);
  lowerings.add({"aten::dropout", "aten::feature_dropout", "aten::alpha_dropout", "aten::feature_alpha_dropout"}, dropout);
}

void register_copies(Lowerings& lowerings) {
  lowerings.add("aten::repeat", repeat);
  lowerings.add("aten::tile", tile);
  lowerings.add("aten::repeat_interleave.self_int", repeat_interleave);
  lowerings.add({"aten::cat", "aten::concat"}, cat);
  lowerings.add("aten::stack", stack);
  lowerings.add({"aten::split.Tensor", "aten::unsafe_split.Tensor"}, split);
  lowerings.add({"aten::split_with_sizes", "aten::unsafe_split_with_sizes"}, split_sizes);
  lowerings.add("aten::split.sizes", split_list);
  lowerings.add({"aten::chunk", "aten::unsafe_chunk"}, chunk);
  lowerings.add("aten::tensor_split.sections", tensor_split);
  lowerings.add("aten::unbind.int", unbind);
  lowerings.add("aten::slice.Tensor", slice_rule);
  lowerings.add("aten::select.int", select);
  lowerings.add("aten::narrow", narrow);
  lowerings.add("aten::flip", flip);
  lowerings.add("aten::roll", roll);
  lowerings.add("aten::constant_pad_nd", constant_pad);
  for (const char* axes : {"1d", "2d", "3d"}) {
    lowerings.add(std::string("aten::reflection_pad") + axes, reflection_pad);
    lowerings.add(std::string("aten::replication_pad") + axes, replication_pad);
  }
  lowerings.add("aten::_pad_circular", circular_pad);
  lowerings.add("aten::pad", pad);
  lowerings.add("aten::pixel_shuffle", pixel_shuffle);
  lowerings.add("aten::pixel_unshuffle", pixel_unshuffle);
  lowerings.add("aten::channel_shuffle", channel_shuffle);
}

}  // namespace

void register_shapes(Lowerings& lowerings) {
  register_views(lowerings);
  register_copies(lowerings);
}

}  // namespace linnet::exporter
