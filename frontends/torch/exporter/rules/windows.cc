#include <ATen/ATen.h>

#include "building_blocks.h"
#include "rule_list.h"

// Windows along one axis or over an image, and back.
namespace linnet::exporter {
namespace {

/// Windows along an axis, which come last.
void unfold(Call& call) {
  const at::Tensor x = call.tensor();
  if (x.dim() == 0) return call.set(flattened(call, call.value()));
  const int64_t axis = call.axis("dimension"), size = call.integer("size"), step = call.integer("step");
  const int64_t count = call.result().size(axis);
  const at::Tensor places = at::arange(count, at::kLong).unsqueeze(1) * step + at::arange(size, at::kLong);
  const std::string windows = call.emit("Gather", {call.value(), call.constant_of(places)}, {{"axis", axis}});
  std::vector<int64_t> order = order_of(x.dim() + 1);
  order.erase(order.begin() + axis + 1);
  order.push_back(axis + 1);
  call.set(transposed(call, windows, order));
}

/// Elements by their places in memory, in which those of the tensor must lie in order.
void as_strided(Call& call) {
  const at::Tensor x = call.tensor();
  if (!x.is_contiguous() || x.storage().nbytes() != x.nbytes()) {
    call.refuse("strides over memory that is not the tensor's, in its order, are not covered");
  }
  const int64_t offset = call.has("storage_offset") ? call.integer("storage_offset") : 0;
  const at::Tensor places =
      at::arange(x.numel(), at::kLong).as_strided(call.result().sizes(), call.integers("stride"), offset);
  call.set(call.emit("Gather", {flattened(call, call.value()), call.constant_of(places.contiguous())}));
}

/// Positions [kernel, windows] along a padded axis.
at::Tensor window_places(int64_t kernel, int64_t windows, int64_t dilation, int64_t stride) {
  return at::arange(kernel, at::kLong).unsqueeze(1) * dilation + at::arange(windows, at::kLong) * stride;
}

/// How many windows an axis has.
int64_t windows_of(int64_t size, int64_t kernel, int64_t dilation, int64_t padding, int64_t stride) {
  return (size + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
}

/// [n, c, h, w] as blocks [n, c kh kw, windows].
void im2col(Call& call) {
  const std::vector<int64_t> kernel = call.integers("kernel_size"), dilation = call.integers("dilation");
  const std::vector<int64_t> padding = call.integers("padding"), stride = call.integers("stride");
  const at::Tensor image = call.tensor().dim() == 3 ? call.tensor().unsqueeze(0) : call.tensor();
  std::string x = call.tensor().dim() == 3 ? change_axes(call, "Unsqueeze", call.value(), {0}) : call.value();
  const std::vector<int64_t> pads{0, 0, padding[0], padding[1], 0, 0, padding[0], padding[1]};
  x = call.emit("Pad", {x, call.constant_of(pads)});
  int64_t windows = 1;
  for (size_t i = 0; i < 2; ++i) {
    const int64_t count = windows_of(image.size(int64_t(i) + 2), kernel[i], dilation[i], padding[i], stride[i]);
    const at::Tensor places = window_places(kernel[i], count, dilation[i], stride[i]);
    x = call.emit("Gather", {x, call.constant_of(places)}, {{"axis", int64_t(2 + 2 * i)}});
    windows *= count;
  }
  const int64_t rows = image.size(1) * kernel[0] * kernel[1];
  const std::string turned = transposed(call, x, {0, 1, 2, 4, 3, 5});
  const std::string y = call.emit("Reshape", {turned, call.constant_of({0, rows, windows})});
  call.set(call.tensor().dim() == 3 ? change_axes(call, "Squeeze", y, {0}) : y);
}

/// Blocks [n, c kh kw, windows] back to an image, adding where they overlap.
void col2im(Call& call) {
  call.require_opset(16, "folding");
  const std::vector<int64_t> kernel = call.integers("kernel_size"), dilation = call.integers("dilation");
  const std::vector<int64_t> padding = call.integers("padding"), stride = call.integers("stride");
  const std::vector<int64_t> size = call.integers("output_size");
  const bool single = call.tensor().dim() == 2;
  const int64_t channels = call.tensor().size(single ? 0 : 1) / (kernel[0] * kernel[1]);
  const int64_t height = size[0] + 2 * padding[0], width = size[1] + 2 * padding[1];
  const auto along = [&](size_t i) {
    const int64_t windows = windows_of(size[i], kernel[i], dilation[i], padding[i], stride[i]);
    return window_places(kernel[i], windows, dilation[i], stride[i]);
  };
  const at::Tensor rows = along(0).unsqueeze(1).unsqueeze(3) * width, columns = along(1).unsqueeze(0).unsqueeze(2);
  const std::string places = call.constant_of((rows + columns).reshape({1, 1, -1}));
  const std::string x =
      call.emit("Reshape", {call.value(), call.constant_of({-1, channels, (rows + columns).numel()})});
  const std::string outer = slice(call, call.emit("Shape", {x}), 0, 0, 2);
  const std::string image = call.emit("Concat", {outer, call.constant_of({height * width})}, {{"axis", 0}});
  const std::string zeros = call.emit("Expand", {call.scalar(0, call.dtype()), image});
  const std::string index = call.emit("Expand", {places, call.emit("Shape", {x})});
  const Attributes add{{"axis", 2}, {"reduction", std::string("add")}};
  const std::string sums = call.emit("ScatterElements", {zeros, index, x}, add);
  std::string y = call.emit("Reshape", {sums, call.constant_of({-1, channels, height, width})});
  for (const int64_t i : {0, 1}) {
    if (padding[size_t(i)] > 0) y = slice(call, y, 2 + i, padding[size_t(i)], padding[size_t(i)] + size[size_t(i)]);
  }
  call.set(single ? change_axes(call, "Squeeze", y, {0}) : y);
}

}  // namespace

void register_windows(Lowerings& lowerings) {
  lowerings.add("aten::unfold", unfold);
  lowerings.add("aten::as_strided", as_strided);
  lowerings.add("aten::im2col", im2col);
  lowerings.add("aten::col2im", col2im);
}

}  // namespace linnet::exporter
