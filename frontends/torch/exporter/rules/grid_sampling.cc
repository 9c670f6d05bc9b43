#include <algorithm>

#include "building_blocks.h"
#include "rule_list.h"

// Samples of images at the positions of a grid, and grids of affine maps.
namespace linnet::exporter {
namespace {

/// Returns the image and the grid for cubic interpolation that continues beyond the border. ONNX clamps positions to
/// the border before it interpolates, so the border is moved out by two pixels.
Names beyond_border(Call& call) {
  const TensorInfo& image = call.tensor("input");
  const int64_t dims = image.dim() - 2;
  Integers pads(size_t(2 * image.dim()), 2);
  for (const size_t place : {size_t(0), size_t(1)}) pads[place] = pads[place + size_t(image.dim())] = 0;
  Numbers factors;
  for (int64_t i = 0; i < dims; ++i) {
    const auto size = double(image.size(image.dim() - 1 - i) - int64_t(call.flag("align_corners")));
    factors.push_back(size / (size + 4));
  }
  const std::string x =
      call.emit("Pad", {call.value("input"), call.constant_of(pads)}, {{"mode", std::string("edge")}});
  return {x, call.emit("Mul", {call.value("grid"), call.constant_of(factors, Shape{dims}, call.tensor("grid").dtype)})};
}

/// Source: https://onnx.ai/onnx/operators/onnx__GridSample.html
void grid_sampler(Call& call) {
  const bool volume = call.tensor("input").dim() == 5;
  call.require_opset(volume ? 20 : 16, volume ? "grid sampling of volumes" : "grid sampling");
  const bool renamed = call.options().opset >= 20;
  const Names modes{renamed ? "linear" : "bilinear", "nearest", renamed ? "cubic" : "bicubic"};
  const Names paddings{"zeros", "border", "reflection"};
  const Attributes attributes{{"mode", modes[size_t(call.integer("interpolation_mode"))]},
                              {"padding_mode", paddings[size_t(call.integer("padding_mode"))]},
                              {"align_corners", int64_t(call.flag("align_corners"))}};
  const bool cubic_border = call.integer("interpolation_mode") == 2 && call.integer("padding_mode") == 1;
  const Names inputs = cubic_border ? beyond_border(call) : Names{call.value("input"), call.value("grid")};
  call.set(call.emit("GridSample", inputs, attributes));
}

/// Returns the positions of all pixels from -1 to 1, with the last axis first, each followed by a 1.
std::string places_in(Call& call, const Integers& space) {
  const auto dims = int64_t(space.size());
  const bool corners = call.flag("align_corners");
  Numbers rows;
  int64_t pixels = 1;
  for (const int64_t size : space) pixels = checked_mul(pixels, size);
  check_table(call, pixels, dims + 1);
  for (int64_t pixel = 0; pixel < pixels; ++pixel) {
    int64_t rest = pixel;
    for (int64_t axis = dims - 1; axis >= 0; --axis) {
      const int64_t size = space[size_t(axis)], place = rest % size;
      rest /= size;
      const double steps = corners ? double(std::max<int64_t>(size - 1, 1)) : double(size);
      rows.push_back(corners && size == 1 ? 0 : (2 * double(place) + (corners ? 0 : 1)) / steps - 1);
    }
    rows.push_back(1);
  }
  return call.constant_of(rows, Shape{pixels, dims + 1}, call.dtype());
}

/// Emits the grid of the identity, with a 1 after each position, times theta^T.
void affine_grid(Call& call) {
  const Integers result = call.result().sizes;
  const Integers space = part_of(result, 1, std::ssize(result) - 1);
  const auto dims = int64_t(space.size());
  const std::string rows = places_in(call, space);
  const std::string turned = call.emit("Transpose", {call.value("theta")}, {{"perm", Integers{0, 2, 1}}});
  Integers shape = space;
  shape.insert(shape.begin(), -1);
  shape.push_back(dims);
  call.set(call.emit("Reshape", {call.emit("MatMul", {rows, turned}), call.constant_of(shape)}));
}

}  // namespace

void register_grid_sampling(Lowerings& lowerings) {
  lowerings.add({"aten::grid_sampler", "aten::grid_sampler_2d", "aten::grid_sampler_3d"}, grid_sampler);
  lowerings.add("aten::affine_grid_generator", affine_grid);
}

}  // namespace linnet::exporter
