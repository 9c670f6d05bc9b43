#include <ATen/ATen.h>

#include <cmath>
#include <optional>

#include "building_blocks.h"
#include "rule_list.h"

// Up- and downsampling of 1, 2 or 3 spatial axes.
// Source: https://onnx.ai/onnx/operators/onnx__Resize.html
namespace linnet::exporter {
namespace {

/// The overloads name the input and the factors differently.
std::string input_of(Call& call) { return call.has("self") ? "self" : "input"; }

std::vector<double> factors_of(Call& call) {
  if (call.has("scale_factors")) return call.numbers("scale_factors");
  std::vector<double> factors;
  for (const char* name : {"scales_d", "scales_h", "scales_w", "scales"}) {
    if (call.has(name)) factors.push_back(call.number(name));
  }
  return factors;
}

int64_t spatial_axes(Call& call) { return call.result().dim() - 2; }

/// The factor of a spatial axis where it is given.
std::optional<double> factor_of(Call& call, int64_t axis) {
  const std::vector<double> factors = factors_of(call);
  if (int64_t(factors.size()) != spatial_axes(call)) return std::nullopt;
  return factors[size_t(axis - 2)];
}

/// The result's size along an axis, int64 [1]: that of the input times the factor, rounded down.
std::string size_along(Call& call, int64_t axis) {
  if (!call.result_is_dynamic()) return call.constant_of({call.result().size(axis)});
  const std::string size = call.size(input_of(call), axis);
  if (axis < 2) return size;
  if (call.has("output_size")) return slice(call, call.shape("output_size"), 0, axis - 2, axis - 1);
  const std::string product =
      call.emit("Mul", {call.cast(size, at::kDouble), call.scalar(*factor_of(call, axis), at::kDouble)});
  return call.cast(call.emit("Floor", {product}), at::kLong);
}

std::string sizes_of(Call& call) {
  if (!call.result_is_dynamic()) return call.constant_of(call.result().sizes().vec());
  Names sizes;
  for (int64_t axis = 0; axis < call.result().dim(); ++axis) sizes.push_back(size_along(call, axis));
  return call.emit("Concat", sizes, {{"axis", 0}});
}

/// The factor in float32, moved to where the size comes out as PyTorch's, which multiplies in float64.
float moved_factor(Call& call, int64_t axis) {
  const auto factor = float(*factor_of(call, axis));
  const auto in = double(call.tensor(input_of(call)).size(axis)), out = double(call.result().size(axis));
  for (const float moved : {factor, std::nextafter(factor, 0.0F), std::nextafter(factor, INFINITY)}) {
    if (std::floor(in * double(moved)) == out) return moved;
  }
  call.refuse("its size is not that of the factor in float32");
}

/// The factors as Resize takes them. Linear interpolation copies along an axis whose length stays, whatever the factor.
std::string scales_of(Call& call, bool linear) {
  const at::Tensor x = call.tensor(input_of(call)), scales = at::ones({x.dim()});
  for (int64_t axis = 2; axis < x.dim(); ++axis) {
    const bool stays = linear && !call.result_is_dynamic() && x.size(axis) == call.result().size(axis);
    if (!stays) scales[axis] = moved_factor(call, axis);
  }
  const std::string factors = call.constant_of(scales);
  if (!linear || !call.result_is_dynamic()) return factors;
  const std::string stay = call.emit("Equal", {call.emit("Shape", {call.value(input_of(call))}), sizes_of(call)});
  return call.emit("Where", {stay, call.scalar(1, at::kFloat), factors});
}

/// By factors where they are given, since they decide on positions; but with corners aligned, sizes do.
void resize(Call& call, const Attributes& attributes, bool by_sizes) {
  const std::string x = call.value(input_of(call));
  if (by_sizes || !factor_of(call, 2)) return call.set(call.emit("Resize", {x, "", "", sizes_of(call)}, attributes));
  const bool linear = std::get<std::string>(attributes.at("mode")) == "linear";
  call.set(call.emit("Resize", {x, "", scales_of(call, linear)}, attributes));
}

/// Every pixel becomes as many, or every so-manieth one stays: no rounding decides.
bool is_even(Call& call, int64_t axis) {
  const std::optional<double> factor = factor_of(call, axis);
  if (factor && *factor != std::floor(*factor)) return false;
  const int64_t in = call.tensor(input_of(call)).size(axis), out = call.result().size(axis);
  if (call.dynamic(input_of(call), axis) && !factor) return false;
  return in > 0 && out % in == 0;
}

/// The pixels that an axis of the result takes, in PyTorch's arithmetic: floor((i + offset) * scale) in float32.
std::string nearest_positions(Call& call, int64_t axis, double offset) {
  const std::string none = call.constant_of(std::vector<int64_t>{});
  const std::string in = call.size(input_of(call), axis), out = size_along(call, axis);
  const std::string count = call.emit("Reshape", {out, none});
  const std::string places = call.emit("Range", {call.scalar(0, at::kLong), count, call.scalar(1, at::kLong)});
  const std::optional<double> factor = factor_of(call, axis);
  const std::string scale = factor ? call.scalar(1 / *factor, at::kFloat)
                                   : call.emit("Div", {call.cast(in, at::kFloat), call.cast(out, at::kFloat)});
  std::string position = call.cast(places, at::kFloat);
  if (offset != 0) position = call.emit("Add", {position, call.scalar(offset, at::kFloat)});
  const std::string down = call.cast(call.emit("Floor", {call.emit("Mul", {position, scale})}), at::kLong);
  return call.emit("Min", {down, call.emit("Sub", {in, call.constant_of({1})})});
}

/// PyTorch takes the nearest pixels of channels-last images where they are along an axis whose length stays; of others
/// the factor decides.
bool stays(Call& call, int64_t axis, double offset) {
  const at::Tensor x = call.tensor(input_of(call));
  const bool channels_last = (x.dim() == 4 && x.is_contiguous(at::MemoryFormat::ChannelsLast)) ||
                             (x.dim() == 5 && x.is_contiguous(at::MemoryFormat::ChannelsLast3d));
  const std::optional<double> factor = factor_of(call, axis);
  if (!channels_last || offset != 0 || !factor) return false;
  if (call.dynamic(input_of(call), axis) && *factor > 1 && *factor < 1.5) {
    call.refuse("whether a length stays decides along a dynamic axis");
  }
  return x.size(axis) == call.result().size(axis);
}

Lowering nearest(double offset, const Attributes& attributes) {
  return [=](Call& call) {
    bool even = true;
    for (int64_t axis = 2; axis < call.result().dim(); ++axis) even = even && is_even(call, axis);
    if (even) return resize(call, attributes, false);
    std::string y = call.value(input_of(call));
    for (int64_t axis = 2; axis < call.result().dim(); ++axis) {
      if (stays(call, axis, offset)) continue;
      y = call.emit("Gather", {y, nearest_positions(call, axis, offset)}, {{"axis", axis}});
    }
    call.set(y);
  };
}

void interpolated(Call& call, Attributes attributes) {
  const bool corners = call.flag("align_corners");
  attributes["coordinate_transformation_mode"] = std::string(corners ? "align_corners" : "half_pixel");
  resize(call, attributes, corners);
}

void resize_linear(Call& call) { interpolated(call, {{"mode", "linear"}}); }
void cubic(Call& call) { interpolated(call, {{"mode", "cubic"}, {"cubic_coeff_a", -0.75}}); }

using Smooth = at::Tensor (*)(const at::Tensor&, at::IntArrayRef, bool, c10::optional<double>, c10::optional<double>);

/// With antialiasing, each axis is a product with a matrix, of which PyTorch itself makes the rows from unit vectors.
Lowering smoothed(Smooth function) {
  return [function](Call& call) {
    if (call.result_is_dynamic()) call.refuse("antialiasing of a dynamic axis is not covered");
    const at::Tensor x = call.tensor(input_of(call));
    const bool corners = call.flag("align_corners");
    const auto matrix = [&](int64_t axis) {
      const std::optional<double> given = factor_of(call, axis);
      const c10::optional<double> factor = given ? c10::optional<double>(*given) : c10::optional<double>();
      const at::Tensor units = at::eye(x.size(axis)).unsqueeze(0).unsqueeze(0);
      const at::Tensor y =
          function(units, {call.result().size(axis), x.size(axis)}, corners, factor, c10::optional<double>());
      return y[0][0].to(call.dtype());
    };
    const at::Tensor rows = matrix(2), columns = matrix(3).t().contiguous();
    const std::string wide = call.emit("MatMul", {call.value(input_of(call)), call.constant_of(columns)});
    call.set(call.emit("MatMul", {call.constant_of(rows), wide}));
  };
}

}  // namespace

void register_resizing(Lowerings& lowerings) {
  const auto both = [&](const std::string& name, const Lowering& rule) {
    lowerings.add(name, rule);
    lowerings.add(name + ".vec", rule);
  };
  const Lowering floor =
      nearest(0, {{"mode", "nearest"}, {"coordinate_transformation_mode", "asymmetric"}, {"nearest_mode", "floor"}});
  const Lowering exact = nearest(
      0.5,
      {{"mode", "nearest"}, {"coordinate_transformation_mode", "half_pixel"}, {"nearest_mode", "round_prefer_ceil"}});
  for (const char* axes : {"1d", "2d", "3d"}) {
    both(std::string("aten::upsample_nearest") + axes, floor);
    both(std::string("aten::_upsample_nearest_exact") + axes, exact);
  }
  both("aten::upsample_linear1d", resize_linear);
  both("aten::upsample_bilinear2d", resize_linear);
  both("aten::upsample_trilinear3d", resize_linear);
  both("aten::upsample_bicubic2d", cubic);
  both("aten::_upsample_bilinear2d_aa", smoothed(at::_upsample_bilinear2d_aa));
  both("aten::_upsample_bicubic2d_aa", smoothed(at::_upsample_bicubic2d_aa));
}

}  // namespace linnet::exporter
