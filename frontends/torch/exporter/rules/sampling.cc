#include <ATen/ATen.h>

#include "rule_list.h"
#include "shared.h"

// Lookups whose places are computed: grids over images, positions from pooling, bags of rows.
namespace linnet::exporter {
namespace {

/// The image and the grid for cubic interpolation that goes on beyond the border: ONNX moves positions to the border
/// before it interpolates, so the border moves two pixels out.
Names beyond_border(Call& call) {
  const at::Tensor image = call.tensor("input");
  const int64_t dims = image.dim() - 2;
  std::vector<int64_t> pads(size_t(2 * image.dim()), 2);
  for (const size_t place : {size_t(0), size_t(1)}) pads[place] = pads[place + size_t(image.dim())] = 0;
  const at::Tensor factors = at::empty({dims}, at::kDouble);
  for (int64_t i = 0; i < dims; ++i) {
    const auto size = double(image.size(image.dim() - 1 - i) - int64_t(call.flag("align_corners")));
    factors[i] = size / (size + 4);
  }
  const std::string x =
      call.emit("Pad", {call.value("input"), call.constant_of(pads)}, {{"mode", std::string("edge")}});
  return {x, call.emit("Mul", {call.value("grid"), call.constant_of(factors.to(call.tensor("grid").scalar_type()))})};
}

/// Source: https://onnx.ai/onnx/operators/onnx__GridSample.html
void grid_sampler(Call& call) {
  const bool volume = call.tensor("input").dim() == 5;
  call.require_opset(volume ? 20 : 16, volume ? "grid sampling of volumes" : "grid sampling");
  const bool renamed = call.options().opset >= 20;
  const std::string modes[] = {renamed ? "linear" : "bilinear", "nearest", renamed ? "cubic" : "bicubic"};
  const std::string paddings[] = {"zeros", "border", "reflection"};
  const Attributes attributes{{"mode", modes[call.integer("interpolation_mode")]},
                              {"padding_mode", paddings[call.integer("padding_mode")]},
                              {"align_corners", int64_t(call.flag("align_corners"))}};
  const bool cubic_border = call.integer("interpolation_mode") == 2 && call.integer("padding_mode") == 1;
  const Names inputs = cubic_border ? beyond_border(call) : Names{call.value("input"), call.value("grid")};
  call.set(call.emit("GridSample", inputs, attributes));
}

/// The grid of the identity, with a 1 behind each position, times theta^T.
void affine_grid(Call& call) {
  const std::vector<int64_t> result = call.result().sizes().vec();
  const std::vector<int64_t> space(result.begin() + 1, result.end() - 1);
  const auto dims = int64_t(space.size());
  std::vector<int64_t> image{1, 1};
  image.insert(image.end(), space.begin(), space.end());
  const at::Tensor identity = at::eye(dims, dims + 1, call.dtype()).unsqueeze(0);
  const at::Tensor places = at::affine_grid_generator(identity, image, call.flag("align_corners")).reshape({-1, dims});
  const at::Tensor rows = at::cat({places, at::ones({places.size(0), 1}, call.dtype())}, 1);
  const std::string turned = call.emit("Transpose", {call.value("theta")}, {{"perm", std::vector<int64_t>{0, 2, 1}}});
  std::vector<int64_t> shape = space;
  shape.insert(shape.begin(), -1);
  shape.push_back(dims);
  call.set(call.emit("Reshape", {call.emit("MatMul", {call.constant_of(rows), turned}), call.constant_of(shape)}));
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

/// Which of the indices belong to which bag: bool [bags, indices].
std::string membership(Call& call) {
  const std::string offsets = call.value("offsets", at::kLong), indices = call.value("indices", at::kLong);
  const bool closed = call.flag("include_last_offset");
  const std::string none = call.constant_of(std::vector<int64_t>{});
  const std::string count = call.emit("Shape", {indices});
  const Names range{call.scalar(0, at::kLong), call.emit("Reshape", {count, none}), call.scalar(1, at::kLong)};
  const std::string places = call.emit("Range", range);
  const std::string begin = closed ? slice(call, offsets, 0, 0, -1) : offsets;
  const std::string after = slice(call, offsets, 0, 1, kEnd);
  const std::string end = closed ? after : call.emit("Concat", {after, count}, {{"axis", 0}});
  const auto column = [&](const std::string& x) { return change_axes(call, "Unsqueeze", x, {1}); };
  std::string inside =
      call.emit("And", {call.emit("LessOrEqual", {column(begin), places}), call.emit("Less", {places, column(end)})});
  if (call.has("padding_idx") && call.integer("padding_idx") >= 0) {
    const std::string padding = call.value("padding_idx", at::kLong);
    inside = call.emit("And", {inside, call.emit("Not", {call.emit("Equal", {indices, padding})})});
  }
  return inside;
}

/// Modes 0 sum, 1 mean, 2 largest, of the rows in each bag; an empty bag gives 0.
void embedding_bag(Call& call) {
  const at::ScalarType dtype = call.dtype();
  const int64_t mode = call.integer("mode");
  const std::string inside = membership(call), zero = call.scalar(0, dtype);
  std::string rows = call.emit("Gather", {call.value("weight"), call.value("indices")}, {{"axis", 0}});
  if (call.has("per_sample_weights")) {
    rows = call.emit("Mul", {rows, change_axes(call, "Unsqueeze", call.value("per_sample_weights"), {1})});
  }
  const std::string ones = call.cast(inside, dtype);
  const std::string count = reduce(call, "ReduceSum", ones, {1}, true);
  if (mode == 2) {
    const std::string wide = change_axes(call, "Unsqueeze", inside, {2});
    const std::string kept = call.emit("Where", {wide, rows, call.scalar(-INFINITY, dtype)});
    const std::string most = reduce(call, "ReduceMax", kept, {1}, false);
    return call.set(call.emit("Where", {call.emit("Equal", {count, zero}), zero, most}));
  }
  const std::string sum = call.emit("MatMul", {ones, rows});
  call.set(mode == 0 ? sum : call.emit("Div", {sum, call.emit("Max", {count, call.scalar(1, dtype)})}));
}

}  // namespace

void register_sampling(Lowerings& lowerings) {
  lowerings.add({"aten::grid_sampler", "aten::grid_sampler_2d", "aten::grid_sampler_3d"}, grid_sampler);
  lowerings.add("aten::affine_grid_generator", affine_grid);
  lowerings.add({"aten::max_unpool2d", "aten::max_unpool3d"}, max_unpool);
  lowerings.add({"aten::embedding_bag", "aten::embedding_bag.padding_idx", "aten::_embedding_bag"}, embedding_bag);
}

}  // namespace linnet::exporter
