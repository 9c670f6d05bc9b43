#include <algorithm>
#include <cmath>
#include <optional>

#include "building_blocks.h"
#include "rule_list.h"

// Upsampling and downsampling of 1, 2 or 3 spatial axes.
// Source: https://onnx.ai/onnx/operators/onnx__Resize.html
namespace linnet::exporter {
namespace {

/// The overloads name the input and the factors differently.
std::string input_of(Call& call) { return call.has("self") ? "self" : "input"; }

Numbers factors_of(Call& call) {
  if (call.has("scale_factors")) return call.numbers("scale_factors");
  Numbers factors;
  for (const char* name : {"scales_d", "scales_h", "scales_w", "scales"}) {
    if (call.has(name)) factors.push_back(call.number(name));
  }
  return factors;
}

int64_t spatial_axes(Call& call) { return call.result().dim() - 2; }

/// Returns the factor of a spatial axis if it is given.
std::optional<double> factor_of(Call& call, int64_t axis) {
  const Numbers factors = factors_of(call);
  if (int64_t(factors.size()) != spatial_axes(call)) return std::nullopt;
  return factors[size_t(axis - 2)];
}

/// Returns the factor of a spatial axis, which must be given.
double known_factor(Call& call, int64_t axis) {
  const std::optional<double> factor = factor_of(call, axis);
  if (!factor) call.refuse("it has no factor for each axis");
  return *factor;
}

/// Returns the result's size along an axis, int64 [1]: that of the input times the factor, rounded down.
std::string size_along(Call& call, int64_t axis) {
  if (!call.result_is_dynamic()) return call.constant_of({call.result().size(axis)});
  const std::string size = call.size(input_of(call), axis);
  if (axis < 2) return size;
  if (call.has("output_size")) return slice(call, call.shape("output_size"), 0, axis - 2, axis - 1);
  const std::string product =
      call.emit("Mul", {call.cast(size, DType::kFloat64), call.scalar(known_factor(call, axis), DType::kFloat64)});
  return call.cast(call.emit("Floor", {product}), DType::kInt64);
}

std::string sizes_of(Call& call) {
  if (!call.result_is_dynamic()) return call.constant_of(call.result().sizes);
  Names sizes;
  for (int64_t axis = 0; axis < call.result().dim(); ++axis) sizes.push_back(size_along(call, axis));
  return call.emit("Concat", sizes, {{"axis", 0}});
}

/// Returns the factor in float32, adjusted such that the size equals PyTorch's, which is computed in float64.
float moved_factor(Call& call, int64_t axis) {
  const auto factor = float(known_factor(call, axis));
  const auto in = double(call.tensor(input_of(call)).size(axis)), out = double(call.result().size(axis));
  for (const float moved : {factor, std::nextafter(factor, 0.0F), std::nextafter(factor, INFINITY)}) {
    if (std::floor(in * double(moved)) == out) return moved;
  }
  call.refuse("its size is not that of the factor in float32");
}

/// Returns the factors for Resize. Linear interpolation copies along an axis whose size does not change, whatever the
/// factor.
std::string scales_of(Call& call, bool linear) {
  const TensorInfo& x = call.tensor(input_of(call));
  Numbers scales(size_t(x.dim()), 1);
  for (int64_t axis = 2; axis < x.dim(); ++axis) {
    const bool stays = linear && !call.result_is_dynamic() && x.size(axis) == call.result().size(axis);
    if (!stays) scales[size_t(axis)] = moved_factor(call, axis);
  }
  const std::string factors = call.constant_of(scales, Shape{x.dim()}, DType::kFloat32);
  if (!linear || !call.result_is_dynamic()) return factors;
  const std::string stay = call.emit("Equal", {call.emit("Shape", {call.value(input_of(call))}), sizes_of(call)});
  return call.emit("Where", {stay, call.scalar(1, DType::kFloat32), factors});
}

/// Resizes by factors if they are given, because they determine positions. With aligned corners, sizes determine them.
void resize(Call& call, const Attributes& attributes, bool by_sizes) {
  const std::string x = call.value(input_of(call));
  if (by_sizes || !factor_of(call, 2)) return call.set(call.emit("Resize", {x, "", "", sizes_of(call)}, attributes));
  const bool linear = std::get<std::string>(attributes.at("mode")) == "linear";
  call.set(call.emit("Resize", {x, "", scales_of(call, linear)}, attributes));
}

/// Whether each pixel is repeated a whole number of times, so that rounding has no effect.
bool is_even(Call& call, int64_t axis) {
  const std::optional<double> factor = factor_of(call, axis);
  if (factor && *factor != std::floor(*factor)) return false;
  const int64_t in = call.tensor(input_of(call)).size(axis), out = call.result().size(axis);
  if (call.dynamic(input_of(call), axis) && !factor) return false;
  return in > 0 && out % in == 0;
}

/// Returns the pixels that an axis of the result reads, in PyTorch's arithmetic: floor((i + offset) * scale) in
/// float32.
std::string nearest_positions(Call& call, int64_t axis, double offset) {
  const std::string none = call.constant_of(Integers{});
  const std::string in = call.size(input_of(call), axis), out = size_along(call, axis);
  const std::string count = call.emit("Reshape", {out, none});
  const std::string places = call.emit("Range", {call.scalar(0, DType::kInt64), count, call.scalar(1, DType::kInt64)});
  const std::optional<double> factor = factor_of(call, axis);
  const std::string scale = factor
                                ? call.scalar(1 / *factor, DType::kFloat32)
                                : call.emit("Div", {call.cast(in, DType::kFloat32), call.cast(out, DType::kFloat32)});
  std::string position = call.cast(places, DType::kFloat32);
  if (offset != 0) position = call.emit("Add", {position, call.scalar(offset, DType::kFloat32)});
  const std::string down = call.cast(call.emit("Floor", {call.emit("Mul", {position, scale})}), DType::kInt64);
  return call.emit("Min", {down, call.emit("Sub", {in, call.constant_of({1})})});
}

/// Whether pixels are copied along an axis. For channels-last images whose size does not change along the axis, PyTorch
/// copies; for other images the factor determines the pixels.
bool stays(Call& call, int64_t axis, double offset) {
  const TensorInfo& x = call.tensor(input_of(call));
  const std::optional<double> factor = factor_of(call, axis);
  if (!x.channels_last || offset != 0 || !factor) return false;
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

/// An interpolation kernel, which is 0 from support() on. pieces[i] is its polynomial at distances from i to i + 1, the
/// highest power first.
struct Filter {
  double support() const { return double(pieces.size()); }

  List<Numbers> pieces;
};

const Filter kTent{{{-1, 1}}};
/// Keys's cubic with a = -1/2, which Pillow and PyTorch use with antialiasing.
const Filter kKeys{{{1.5, -2.5, 0, 1}, {-0.5, 2.5, -4, 2}}};

double weight_of(const Filter& filter, double distance) {
  if (distance >= filter.support()) return 0;
  double sum = 0;
  for (const double factor : filter.pieces[size_t(distance)]) sum = sum * distance + factor;
  return sum;
}

/// Returns the weights of the input's pixels in each pixel of the output, [out, in]. The filter is as wide as an output
/// pixel.
/// Source: https://github.com/python-pillow/Pillow/blob/main/src/libImaging/Resample.c (precompute_coeffs)
Numbers weights_along(int64_t in, int64_t out, double step, const Filter& filter) {
  Numbers rows;
  rows.reserve(size_t(in * out));
  const double wide = std::max(step, 1.0), support = filter.support() * wide;
  for (int64_t i = 0; i < out; ++i) {
    const double center = step * (double(i) + 0.5);
    const auto begin = int64_t(std::clamp(center - support + 0.5, 0.0, double(in)));
    const auto end = int64_t(std::clamp(center + support + 0.5, 0.0, double(in)));
    Numbers row(size_t(in), 0);
    double sum = 0;
    for (int64_t k = begin; k < end; ++k) {
      const double distance = std::abs((double(k) - center + 0.5) / wide);
      sum += row[size_t(k)] = weight_of(filter, distance);
    }
    for (const double weight : row) rows.push_back(sum == 0 ? 0 : weight / sum);
  }
  return rows;
}

constexpr double kMostStep = 1e15;  // in pixels; a larger step has no fraction in float64

/// Returns the distance in the input of two neighbouring pixels of the output.
double step_of(Call& call, int64_t axis, bool corners) {
  const int64_t in = call.tensor(input_of(call)).size(axis), out = call.result().size(axis);
  if (corners) return out > 1 ? double(in - 1) / double(out - 1) : 0;
  const std::optional<double> factor = factor_of(call, axis);
  const double step = factor ? 1 / *factor : double(in) / double(out);
  if (!(std::abs(step) < kMostStep)) call.refuse("its factor is not that of an image");
  return step;
}

std::string as_double(Call& call, const std::string& x) { return call.cast(x, DType::kFloat64); }
std::string double_of(Call& call, double number) { return call.scalar(number, DType::kFloat64); }

/// Returns the filter at all distances, in float64.
std::string weights_at(Call& call, const std::string& distance, const Filter& filter) {
  std::string weights = double_of(call, 0);
  for (size_t i = filter.pieces.size(); i-- > 0;) {
    std::string sum = double_of(call, 0);
    for (const double factor : filter.pieces[i]) {
      sum = call.emit("Add", {call.emit("Mul", {sum, distance}), double_of(call, factor)});
    }
    const std::string is_near = call.emit("Less", {distance, double_of(call, double(i + 1))});
    weights = call.emit("Where", {is_near, sum, weights});
  }
  return weights;
}

/// Returns step_of(), float64 [1], for unknown sizes.
std::string open_step(Call& call, int64_t axis, bool corners, const std::string& in, const std::string& out) {
  const std::optional<double> factor = factor_of(call, axis);
  if (factor && !corners) return double_of(call, step_of(call, axis, corners));
  if (!corners) return call.emit("Div", {as_double(call, in), as_double(call, out)});
  const std::string one = call.constant_of({1}), gaps = call.emit("Max", {call.emit("Sub", {out, one}), one});
  const std::string step = call.emit("Div", {as_double(call, call.emit("Sub", {in, one})), as_double(call, gaps)});
  return call.emit("Where", {call.emit("Greater", {out, one}), step, double_of(call, 0)});
}

/// Returns the table of weights_along(), [out, in], for unknown sizes.
std::string open_weights(Call& call, int64_t axis, bool corners, const Filter& filter) {
  const std::string in = call.size(input_of(call), axis), out = size_along(call, axis);
  const std::string half = double_of(call, 0.5), zero = double_of(call, 0),
                    step = open_step(call, axis, corners, in, out);
  const std::string wide = call.emit("Max", {step, double_of(call, 1)});
  const std::string support = call.emit("Mul", {wide, double_of(call, filter.support())});
  const std::string rows = change_axes(call, "Unsqueeze", as_double(call, places_below(call, out)), {1});
  const std::string center = call.emit("Mul", {call.emit("Add", {rows, half}), step});
  const std::string place = as_double(call, places_below(call, in));
  const std::string apart = call.emit("Add", {call.emit("Sub", {place, center}), half});
  const std::string distance = call.emit("Abs", {call.emit("Div", {apart, wide})});
  const auto bound = [&](const std::string& op_type) {
    const std::string end = call.emit("Add", {call.emit(op_type, {center, support}), half});
    return call.emit("Floor", {call.emit("Max", {end, zero})});
  };
  const std::string inside =
      call.emit("And", {call.emit("GreaterOrEqual", {place, bound("Sub")}), call.emit("Less", {place, bound("Add")})});
  const std::string weights = call.emit("Where", {inside, weights_at(call, distance, filter), zero});
  const std::string sum = reduce(call, "ReduceSum", weights, {1}, true);
  const std::string divisor = call.emit("Where", {call.emit("Equal", {sum, zero}), double_of(call, 1), sum});
  return call.cast(call.emit("Div", {weights, divisor}), call.dtype());
}

/// Returns the table of weights_along(), transposed if the axis is the last one.
std::string known_weights(Call& call, int64_t axis, bool corners, const Filter& filter, bool turned) {
  const int64_t in = call.tensor(input_of(call)).size(axis), out = call.result().size(axis);
  check_table(call, out, in);
  const Numbers rows = weights_along(in, out, step_of(call, axis, corners), filter);
  const auto at = [&](int64_t i, int64_t k) { return rows[size_t(i * in + k)]; };
  const auto at_turned = [&](int64_t k, int64_t i) { return at(i, k); };
  return turned ? table_of(call, in, out, call.dtype(), at_turned) : table_of(call, out, in, call.dtype(), at);
}

/// With antialiasing, each axis is a product with a matrix.
Lowering smoothed(const Filter& filter) {
  return [filter](Call& call) {
    const bool corners = call.flag("align_corners");
    const auto weights = [&](int64_t axis, bool turned) {
      const bool sized = !call.has("output_size") || call.constant("output_size");
      if (sized && !call.dynamic(input_of(call), axis)) {
        return known_weights(call, axis, corners, filter, turned);
      }
      const std::string table = open_weights(call, axis, corners, filter);
      return turned ? transposed(call, table, {1, 0}) : table;
    };
    const std::string left = weights(2, false), right = weights(3, true);
    call.set(call.emit("MatMul", {left, call.emit("MatMul", {call.value(input_of(call)), right})}));
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
  both("aten::_upsample_bilinear2d_aa", smoothed(kTent));
  both("aten::_upsample_bicubic2d_aa", smoothed(kKeys));
}

}  // namespace linnet::exporter
