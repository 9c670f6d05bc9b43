#include <ATen/ATen.h>

#include <algorithm>

#include "building_blocks.h"
#include "rule_list.h"

// Pooling over 1, 2 or 3 spatial axes; the batch axis may be missing.
namespace linnet::exporter {
namespace {

/// Padding at both ends of each axis.
std::vector<int64_t> pads_of(Call& call, int64_t spatial) {
  std::vector<int64_t> pads = per_axis(call.integers("padding"), spatial);
  pads.insert(pads.end(), pads.begin(), pads.begin() + spatial);
  return pads;
}

/// The window moves by its own size where no stride is given.
Attributes window(Call& call, int64_t spatial) {
  const std::vector<int64_t> kernel = per_axis(call.integers("kernel_size"), spatial);
  std::vector<int64_t> stride = call.has("stride") ? call.integers("stride") : std::vector<int64_t>();
  stride = stride.empty() ? kernel : per_axis(stride, spatial);
  return {{"kernel_shape", kernel},
          {"strides", stride},
          {"pads", pads_of(call, spatial)},
          {"ceil_mode", int64_t(call.flag("ceil_mode"))}};
}

/// Emits `op` on an input that has a batch axis.
Names pooled(Call& call, const OnnxOperator& op, int64_t spatial, const Attributes& attributes, size_t outputs = 1) {
  const bool single = call.tensor().dim() == spatial + 1;
  const std::string x = single ? change_axes(call, "Unsqueeze", call.value(), {0}) : call.value();
  Names y = call.emit_many(op, {x}, attributes, outputs);
  for (std::string& value : y) value = single ? change_axes(call, "Squeeze", value, {0}) : value;
  return y;
}

Lowering max_pool(int64_t spatial) {
  return [spatial](Call& call) {
    Attributes attributes = window(call, spatial);
    attributes["dilations"] = per_axis(call.integers("dilation"), spatial);
    call.set(pooled(call, "MaxPool", spatial, attributes)[0]);
  };
}

/// ONNX counts positions through batch and channels, PyTorch within one image.
Lowering max_pool_with_positions(int64_t spatial) {
  return [spatial](Call& call) {
    Attributes attributes = window(call, spatial);
    attributes["dilations"] = per_axis(call.integers("dilation"), spatial);
    const Names y = pooled(call, "MaxPool", spatial, attributes, 2);
    int64_t image = 1;
    for (const int64_t size : call.tensor().sizes().slice(size_t(call.tensor().dim() - spatial))) image *= size;
    call.set_result(0, y[0]);
    call.set_result(1, call.emit("Mod", {y[1], call.constant_of(at::scalar_tensor(image, at::kLong))}));
  };
}

Lowering avg_pool(int64_t spatial) {
  return [spatial](Call& call) {
    if (call.has("divisor_override")) call.refuse("divisor_override is not covered");
    if (call.flag("ceil_mode") && call.options().opset < 19) {
      // Before opset 19 the standard does not say whether the part of a window beyond the padding counts.
      const std::vector<int64_t> pads = pads_of(call, spatial);
      const bool padded = std::any_of(pads.begin(), pads.end(), [](int64_t pad) { return pad > 0; });
      if (padded && call.flag("count_include_pad"))
        call.require_opset(19, "average pooling with padding and ceil_mode");
    }
    Attributes attributes = window(call, spatial);
    attributes["count_include_pad"] = int64_t(call.flag("count_include_pad"));
    call.set(pooled(call, "AveragePool", spatial, attributes)[0]);
  };
}

/// One column for each output: window i is [floor(i * in / out), ceil((i + 1) * in / out)).
at::Tensor averaging_matrix(int64_t in, int64_t out, at::ScalarType dtype) {
  const at::Tensor matrix = at::zeros({in, out}, dtype);
  for (int64_t i = 0; i < out; ++i) {
    const int64_t begin = i * in / out, end = ((i + 1) * in + out - 1) / out;
    matrix.narrow(0, begin, end - begin).select(1, i).fill_(1.0 / double(end - begin));
  }
  return matrix;
}

/// Windows of different sizes: a matrix product along each axis.
std::string uneven_average(Call& call, int64_t spatial) {
  const int64_t rank = call.tensor().dim();
  std::string y = call.value();
  for (int64_t axis = rank - spatial; axis < rank; ++axis) {
    std::vector<int64_t> order;
    for (int64_t i = 0; i < rank; ++i) order.push_back(i);
    std::swap(order[size_t(axis)], order[size_t(rank - 1)]);
    const auto turned = [&](const std::string& x) {
      return axis == rank - 1 ? x : call.emit("Transpose", {x}, {{"perm", order}});
    };
    const at::Tensor matrix = averaging_matrix(call.tensor().size(axis), call.result().size(axis), call.dtype());
    y = turned(call.emit("MatMul", {turned(y), call.constant_of(matrix)}));
  }
  return y;
}

/// Windows of equal size where the output's size divides the input's; the whole where it is 1.
Lowering adaptive(const std::string& global, const std::string& windowed, int64_t spatial) {
  return [=](Call& call) {
    const at::IntArrayRef in = call.tensor().sizes().slice(size_t(call.tensor().dim() - spatial));
    const at::IntArrayRef out = call.result().sizes().slice(size_t(call.tensor().dim() - spatial));
    if (std::all_of(out.begin(), out.end(), [](int64_t size) { return size == 1; })) {
      return call.set(pooled(call, global, spatial, {})[0]);
    }
    std::vector<int64_t> kernel;
    bool even = true;
    for (size_t i = 0; i < in.size(); ++i) {
      even = even && out[i] > 0 && in[i] % out[i] == 0;
      kernel.push_back(in[i] / std::max<int64_t>(out[i], 1));
    }
    if (even) return call.set(pooled(call, windowed, spatial, {{"kernel_shape", kernel}, {"strides", kernel}})[0]);
    if (windowed != "AveragePool") call.refuse("the output's size must divide the input's");
    call.set(uneven_average(call, spatial));
  };
}

/// Elements go back to where pooling found them, zeros elsewhere. Positions count within one image.
void max_unpool(Call& call) {
  const int64_t rank = call.tensor().dim(), spatial = int64_t(call.integers("output_size").size());
  int64_t area = 1;
  for (int64_t axis = rank - spatial; axis < rank; ++axis) area *= call.result().size(axis);
  std::vector<int64_t> kept(size_t(rank - spatial), 0), shape = kept;
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
    lowerings.add("aten::adaptive_avg_pool" + axes, adaptive("GlobalAveragePool", "AveragePool", spatial));
    lowerings.add("aten::adaptive_max_pool" + axes, adaptive("GlobalMaxPool", "MaxPool", spatial));
  }
  lowerings.add({"aten::max_unpool2d", "aten::max_unpool3d"}, max_unpool);
}

}  // namespace linnet::exporter
