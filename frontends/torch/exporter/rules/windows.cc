#include "building_blocks.h"
#include "rule_list.h"

// Windows along one axis or over an image, and their inverse.
namespace linnet::exporter {
namespace {

/// Returns the positions of windows along an axis of unknown size, int64 [elements, windows]. Element i of window k is
/// at offsets[i] + k * stride.
std::string open_places(Call& call, const Integers& offsets, const std::string& windows, int64_t stride) {
  const std::string begins = call.emit("Mul", {places_below(call, windows), integer_of(call, stride)});
  return call.emit("Add", {call.constant_of(offsets, Shape{std::ssize(offsets), 1}), begins});
}

/// Returns the number of windows of `span` elements each in `size` elements and the padding, int64 [1].
std::string windows_in(Call& call, const std::string& size, int64_t padding, int64_t span, int64_t stride) {
  const std::string further = call.emit("Add", {size, call.constant_of({padding - span})});
  const std::string count =
      call.emit("Add", {call.emit("Div", {further, call.constant_of({stride})}), call.constant_of({1})});
  return count;
}

/// Returns the windows' positions along the axis, [windows, size].
std::string unfolded_places(Call& call, int64_t axis, int64_t size) {
  const int64_t step = call.positive("step");
  if (call.dynamic("self", axis)) {
    check_table(call, size, 1);
    const std::string windows = windows_in(call, call.size("self", axis), 0, size, step);
    return transposed(call, open_places(call, order_of(size), windows, step), {1, 0});
  }
  const auto place = [&](int64_t window, int64_t i) { return checked_add(checked_mul(window, step), i); };
  return table_of(call, call.result().size(axis), size, place);
}

/// Emits windows along an axis; they become the last axis.
void unfold(Call& call) {
  const TensorInfo& x = call.tensor();
  if (x.dim() == 0) return call.set(flattened(call, call.value()));
  const int64_t axis = call.axis("dimension"), size = call.integer("size");
  const std::string windows = call.emit("Gather", {call.value(), unfolded_places(call, axis, size)}, {{"axis", axis}});
  Integers order = order_of(x.dim() + 1);
  order.erase(order.begin() + axis + 1);
  order.push_back(axis + 1);
  call.set(transposed(call, windows, order));
}

/// Emits elements by their memory positions. The tensor's elements must be in memory order.
void as_strided(Call& call) {
  const TensorInfo& x = call.tensor();
  if (!x.is_whole) call.refuse("strides over memory that is not the tensor's, in its order, are not covered");
  const Integers &sizes = call.result().sizes, strides = call.integers("stride");
  Integers places{call.has("storage_offset") ? call.integer("storage_offset") : 0};
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    check_table(call, std::ssize(places), sizes[axis]);
    Integers further;
    for (const int64_t place : places) {
      for (int64_t i = 0; i < sizes[axis]; ++i) further.push_back(checked_add(place, checked_mul(i, strides[axis])));
    }
    places = further;
  }
  const std::string elements = call.constant_of(places, Shape(sizes));
  call.set(call.emit("Gather", {flattened(call, call.value()), elements}));
}

/// Windows along a padded axis. Element i of window k is at i * dilation + k * stride.
struct Windows {
  int64_t kernel, count, dilation, stride;

  int64_t place(int64_t i, int64_t k) const { return i * dilation + k * stride; }
};

/// Returns the number of windows along an axis.
int64_t windows_of(int64_t size, int64_t kernel, int64_t dilation, int64_t padding, int64_t stride) {
  return (size + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
}

/// The parameters of a window along one of the two axes of an image.
struct WindowNumbers {
  int64_t kernel, dilation, padding, stride;

  int64_t span() const { return checked_add(checked_mul(dilation, kernel - 1), 1); }
};

/// Returns the positions of the elements of all windows along spatial axis `axis` of a padded image, [kernel, windows].
std::string window_places(Call& call, int64_t axis, const WindowNumbers& numbers) {
  const auto& [kernel, dilation, padding, stride] = numbers;
  check_table(call, kernel, 1);
  if (call.dynamic("self", axis)) {
    Integers offsets;
    for (int64_t i = 0; i < kernel; ++i) offsets.push_back(checked_mul(i, dilation));
    const std::string windows = windows_in(call, call.size("self", axis), 2 * padding, numbers.span(), stride);
    return open_places(call, offsets, windows, stride);
  }
  const int64_t count = windows_of(call.tensor().size(axis), kernel, dilation, padding, stride);
  const Windows along{kernel, count, dilation, stride};
  return table_of(call, kernel, count, [&](int64_t k, int64_t window) { return along.place(k, window); });
}

/// Emits [n, c, h, w] as blocks [n, c kh kw, windows].
void im2col(Call& call) {
  const Integers kernel = window_numbers(call, "kernel_size", 2, 1), dilation = window_numbers(call, "dilation", 2, 1);
  const Integers padding = window_numbers(call, "padding", 2, 0), stride = window_numbers(call, "stride", 2, 1);
  const int64_t rank = call.tensor().dim();
  std::string x = rank == 3 ? change_axes(call, "Unsqueeze", call.value(), {0}) : call.value();
  const Integers pads{0, 0, padding[0], padding[1], 0, 0, padding[0], padding[1]};
  x = call.emit("Pad", {x, call.constant_of(pads)});
  for (size_t i = 0; i < 2; ++i) {
    const WindowNumbers numbers{kernel[i], dilation[i], padding[i], stride[i]};
    x = call.emit("Gather", {x, window_places(call, rank - 2 + int64_t(i), numbers)}, {{"axis", int64_t(2 + 2 * i)}});
  }
  const std::string turned = transposed(call, x, {0, 1, 2, 4, 3, 5});
  const bool open = call.dynamic("self", rank - 2) || call.dynamic("self", rank - 1);
  const std::string blocks = call.constant_of({0, call.result().size(-2), open ? -1 : call.result().size(-1)});
  const std::string y = call.emit("Reshape", {turned, blocks});
  call.set(rank == 3 ? change_axes(call, "Squeeze", y, {0}) : y);
}

/// Returns the pixels of all windows of an image, grouped by element of the kernel.
Integers pixels_of(Call& call, const Windows& rows, const Windows& columns, int64_t width) {
  check_table(call, rows.kernel * columns.kernel, checked_mul(rows.count, columns.count));
  Integers pixels;
  for (int64_t i = 0; i < rows.kernel; ++i) {
    for (int64_t j = 0; j < columns.kernel; ++j) {
      for (int64_t y = 0; y < rows.count; ++y) {
        for (int64_t x = 0; x < columns.count; ++x)
          pixels.push_back(checked_add(checked_mul(rows.place(i, y), width), columns.place(j, x)));
      }
    }
  }
  return pixels;
}

/// Adds blocks [n, c kh kw, windows] to an image where they overlap.
void col2im(Call& call) {
  call.require_opset(16, "folding");
  const Integers kernel = window_numbers(call, "kernel_size", 2, 1), dilation = window_numbers(call, "dilation", 2, 1);
  const Integers padding = window_numbers(call, "padding", 2, 0), stride = window_numbers(call, "stride", 2, 1);
  const Integers size = window_numbers(call, "output_size", 2, 0);
  const bool single = call.tensor().dim() == 2;
  const int64_t channels = call.tensor().size(single ? 0 : 1) / (kernel[0] * kernel[1]);
  const int64_t height = size[0] + 2 * padding[0], width = size[1] + 2 * padding[1];
  const auto along = [&](size_t i) {
    const int64_t windows = windows_of(size[i], kernel[i], dilation[i], padding[i], stride[i]);
    return Windows{kernel[i], windows, dilation[i], stride[i]};
  };
  const Integers pixels = pixels_of(call, along(0), along(1), width);
  const std::string places = call.constant_of(pixels, Shape{1, 1, std::ssize(pixels)});
  const std::string x = call.emit("Reshape", {call.value(), call.constant_of({-1, channels, std::ssize(pixels)})});
  const std::string outer = slice(call, call.emit("Shape", {x}), 0, 0, 2);
  const std::string image = call.emit("Concat", {outer, call.constant_of({checked_mul(height, width)})}, {{"axis", 0}});
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
