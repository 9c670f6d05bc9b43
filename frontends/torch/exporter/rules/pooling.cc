#include <algorithm>
#include <numeric>

#include "building_blocks.h"
#include "rule_list.h"

// Pooling over 1, 2 or 3 spatial axes. The batch axis may be missing.
namespace linnet::exporter {
namespace {

/// Returns the padding at both ends of each axis.
Integers pads_of(Call& call, int64_t spatial) { return both_ends(per_axis(call, "padding", spatial)); }

/// Without a stride, the window moves by its own size.
Attributes window(Call& call, int64_t spatial) {
  const Integers kernel = per_axis(call, "kernel_size", spatial);
  const bool has_stride = call.has("stride") && !call.integers("stride").empty();
  const Integers stride = has_stride ? per_axis(call, "stride", spatial) : kernel;
  return {{"kernel_shape", kernel},
          {"strides", stride},
          {"pads", pads_of(call, spatial)},
          {"ceil_mode", int64_t(call.flag("ceil_mode"))}};
}

Lowering max_pool(int64_t spatial) {
  return [spatial](Call& call) {
    Attributes attributes = window(call, spatial);
    attributes["dilations"] = per_axis(call, "dilation", spatial);
    call.set(pooled(call, "MaxPool", spatial, attributes)[0]);
  };
}

/// ONNX counts positions through batch and channels, PyTorch within one image.
Lowering max_pool_with_positions(int64_t spatial) {
  return [spatial](Call& call) {
    Attributes attributes = window(call, spatial);
    attributes["dilations"] = per_axis(call, "dilation", spatial);
    const Names y = pooled(call, "MaxPool", spatial, attributes, 2);
    std::string image = call.constant_of({1});
    for (int64_t axis = call.tensor().dim() - spatial; axis < call.tensor().dim(); ++axis) {
      image = call.emit("Mul", {image, call.size("self", axis)});
    }
    call.set_result(0, y[0]);
    call.set_result(1, call.emit("Mod", {y[1], image}));
  };
}

int64_t product_of(const Integers& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1), checked_mul);
}

/// Emits sums over windows: averages including the padding, times the size of a window.
void emit_divided(Call& call, int64_t spatial) {
  if (call.flag("ceil_mode")) call.refuse("divisor_override with ceil_mode is not covered");
  Attributes attributes = window(call, spatial);
  attributes["count_include_pad"] = int64_t(1);
  const int64_t area = product_of(per_axis(call, "kernel_size", spatial));
  const std::string factor = call.scalar(double(area) / call.number("divisor_override"), call.dtype());
  call.set(call.emit("Mul", {pooled(call, "AveragePool", spatial, attributes)[0], factor}));
}

Lowering avg_pool(int64_t spatial) {
  return [spatial](Call& call) {
    if (call.has("divisor_override")) return emit_divided(call, spatial);
    if (call.flag("ceil_mode") && call.options().opset < 19) {
      // Before opset 19 the standard does not specify whether the part of a window beyond the padding counts.
      const Integers pads = pads_of(call, spatial);
      const bool padded = std::any_of(pads.begin(), pads.end(), [](int64_t pad) { return pad > 0; });
      if (padded && call.flag("count_include_pad"))
        call.require_opset(19, "average pooling with padding and ceil_mode");
    }
    Attributes attributes = window(call, spatial);
    attributes["count_include_pad"] = int64_t(call.flag("count_include_pad"));
    call.set(pooled(call, "AveragePool", spatial, attributes)[0]);
  };
}

/// Writes elements to the positions where pooling found them, and zeros elsewhere. Positions count within one image.
void max_unpool(Call& call) {
  const int64_t rank = call.tensor().dim(), spatial = int64_t(call.integers("output_size").size());
  Integers kept(size_t(rank - spatial), 0), shape = kept;
  int64_t area = 1;
  for (int64_t axis = rank - spatial; axis < rank; ++axis) area *= call.result().size(axis);
  kept.push_back(-1);
  for (int64_t axis = rank - spatial; axis < rank; ++axis) shape.push_back(call.result().size(axis));
  const std::string x = call.emit("Reshape", {call.value(), call.constant_of(kept)});
  const std::string places = call.emit("Reshape", {call.value("indices"), call.constant_of(kept)});
  const std::string outer = slice(call, call.emit("Shape", {x}), 0, 0, rank - spatial);
  const std::string image = call.emit("Concat", {outer, call.constant_of({area})}, {{"axis", 0}});
  const std::string zeros = call.emit("Expand", {call.scalar(0, call.dtype()), image});
  const std::string y = call.emit("ScatterElements", {zeros, places, x}, {{"axis", rank - spatial}});
  call.set(call.emit("Reshape", {y, call.constant_of(shape)}));
}

}  // namespace

void register_pooling(Lowerings& lowerings) {
  for (int64_t spatial = 1; spatial <= 3; ++spatial) {
    const std::string axes = std::to_string(spatial) + "d";
    lowerings.add("aten::max_pool" + axes, max_pool(spatial));
    lowerings.add("aten::max_pool" + axes + "_with_indices", max_pool_with_positions(spatial));
    lowerings.add("aten::avg_pool" + axes, avg_pool(spatial));
  }
  lowerings.add({"aten::max_unpool2d", "aten::max_unpool3d"}, max_unpool);
}

}  // namespace linnet::exporter
