#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "building_blocks.h"
#include "constants.h"
#include "rule_list.h"

// Quantised tensors as pairs of QuantizeLinear and DequantizeLinear, the form that runtimes turn into products of
// bytes. PyTorch multiplies by the reciprocal of the scale where QuantizeLinear divides by it: numbers next to the
// middle between two integers, about one in a million, may become the other one. What QuantizeLinear cannot say is
// spelled out as PyTorch computes it.
// Source: https://onnx.ai/onnx/operators/onnx__QuantizeLinear.html
namespace linnet::exporter {
namespace {

/// The integers from low to high.
struct Range {
  int64_t low, high;

  bool has(int64_t value) const { return value >= low && value <= high; }
  bool holds(const Range& other) const { return has(other.low) && has(other.high); }
  bool operator==(const Range&) const = default;
};

Range range_of(Call& call, DType dtype) {
  const int bits = is_integer(dtype) ? dtype_bits(dtype) : 64;
  if (bits > 32 || dtype == DType::kUint32) call.refuse("only integers of 8 and 16 bits and int32 are covered");
  const bool is_signed = dtype == DType::kInt8 || dtype == DType::kInt16 || dtype == DType::kInt32;
  const int64_t half = int64_t{1} << (bits - 1);
  return is_signed ? Range{-half, half - 1} : Range{0, 2 * half - 1};
}

/// The integers that the call allows, all of them in `all`.
Range asked_range(Call& call, const Range& all) {
  const Range range{call.integer("quant_min"), call.integer("quant_max")};
  if (range.low > range.high || !all.holds(range)) {
    call.refuse("quant_min " + std::to_string(range.low) + " and quant_max " + std::to_string(range.high) +
                " are no range of its integers");
  }
  return range;
}

/// QuantizeLinear and DequantizeLinear have these integers in the file's opset.
bool has_linear_form(Call& call, DType dtype) {
  const int bits = dtype_bits(dtype);
  return bits == 8 || (bits == 16 && call.options().opset >= 21);
}

/// Scales and zero points as arguments of a call: one of each, or one of each for every place along an axis. A single
/// scale has a reciprocal in this dtype.
struct Parameters {
  std::string scale, zero_point;
  std::optional<int64_t> axis{};
  DType precision = DType::kFloat64;
};
const Parameters kOfTensor{"scale", "zero_point"};
const Parameters kOfFakeTensor{"scale", "zero_point", {}, DType::kFloat32};

/// Those of each place along the axis; a rank that is not 1 or another number of them is refused.
Parameters along_axis(Call& call, const std::string& x, const std::string& scales, const std::string& zero_points) {
  const int64_t axis = call.axis("axis", x);
  for (const std::string& name : {scales, zero_points}) {
    if (call.has(name) && call.tensor(name).sizes != Integers{call.tensor(x).size(axis)}) {
      call.refuse("argument '" + name + "' has not one number for each place along the axis");
    }
  }
  return {scales, zero_points, axis};
}
Parameters per_channel(Call& call) { return along_axis(call, "input", "scales", "zero_points"); }

/// The one number of an argument in a dtype, without axes.
std::string scalar_of(Call& call, const std::string& name, DType dtype) {
  if (call.constant(name)) return call.scalar(call.number(name), dtype);
  const std::string value = call.value(name, dtype);
  const bool bare = !call.is_tensor(name) || call.tensor(name).dim() == 0;
  return bare ? value : call.emit("Reshape", {value, call.constant_of(Integers{})});
}

/// Numbers for QuantizeLinear, which broadcasts them itself.
std::string linear_numbers(Call& call, const Parameters& of, const std::string& name, DType dtype) {
  return of.axis ? call.value(name, dtype) : scalar_of(call, name, dtype);
}

/// Numbers in a shape in which other operators broadcast them to tensor x.
std::string broadcast_numbers(Call& call, const Parameters& of, const std::string& name, const std::string& x,
                              DType dtype) {
  if (!of.axis) return scalar_of(call, name, dtype);
  Integers shape(size_t(call.tensor(x).dim() - *of.axis), 1);
  shape[0] = -1;
  return call.emit("Reshape", {call.value(name, dtype), call.constant_of(shape)});
}

/// The zero points where they are known: of none that are given, 0.
std::optional<Integers> known_zero_points(Call& call, const Parameters& of) {
  if (!call.has(of.zero_point)) return Integers{0};
  if (!call.constant(of.zero_point)) return std::nullopt;
  if (!call.is_tensor(of.zero_point)) return Integers{call.integer(of.zero_point)};
  return Integers(integers_in(call.tensor(of.zero_point).contents));
}

bool are_zero(const std::optional<Integers>& zero_points) {
  return zero_points && std::ranges::all_of(*zero_points, [](int64_t zero_point) { return zero_point == 0; });
}

/// Integers that a dtype has. Those that depend on the model's inputs are taken to be so.
bool are_in_range(Call& call, const Parameters& of, const Range& range) {
  if (call.has(of.zero_point) && call.is_tensor(of.zero_point) && is_floating(call.tensor(of.zero_point).dtype)) {
    return false;
  }
  const std::optional<Integers> known = known_zero_points(call, of);
  return !known || std::ranges::all_of(*known, [&](int64_t zero_point) { return range.has(zero_point); });
}

/// Of all scales one that is known must be above 0, also as float32.
void check_scales(Call& call, const Parameters& of) {
  if (!call.constant(of.scale)) return;
  const Numbers scales =
      call.is_tensor(of.scale) ? Numbers(numbers_in(call.tensor(of.scale).contents)) : Numbers{call.number(of.scale)};
  for (const double scale : scales) {
    if (!(float(scale) > 0 && std::isfinite(float(scale)))) call.refuse("a scale is no positive number");
  }
}

bool has_wide_scales(Call& call, const Parameters& of) {
  return of.axis && call.tensor(of.scale).dtype == DType::kFloat64;
}

/// The narrowest dtype of floats that has all integers of a range.
DType exact_dtype(const Range& range) {
  constexpr int64_t kMost = int64_t{1} << 24;
  return Range{-kMost, kMost}.holds(range) ? DType::kFloat32 : DType::kFloat64;
}

/// Within the range, in its exact dtype.
std::string clamped_integers(Call& call, const std::string& rounded, const Range& range) {
  const DType dtype = exact_dtype(range);
  const auto bound = [&](int64_t value) { return call.scalar(double(value), dtype); };
  return call.emit("Clip", {call.cast(rounded, dtype), bound(range.low), bound(range.high)});
}

/// 1 / scale.
std::string reciprocals(Call& call, const Parameters& of, const std::string& x, DType dtype) {
  const DType precision = of.axis ? dtype : of.precision;
  const std::string scale = broadcast_numbers(call, of, of.scale, x, precision);
  return call.cast(call.emit("Div", {call.scalar(1, precision), scale}), dtype);
}

/// As PyTorch computes it: a float32 times the reciprocal of the scale, rounded, plus the zero point.
std::string spelled_integers(Call& call, const Parameters& of, const std::string& x, const Range& range) {
  const DType dtype = has_wide_scales(call, of) ? DType::kFloat64 : DType::kFloat32;
  const std::string quotient = call.emit("Mul", {call.value(x, dtype), reciprocals(call, of, x, dtype)});
  std::string rounded = call.emit("Round", {quotient});
  if (!are_zero(known_zero_points(call, of))) {
    rounded = call.emit("Add", {rounded, broadcast_numbers(call, of, of.zero_point, x, dtype)});
  }
  return clamped_integers(call, rounded, range);
}

Attributes axis_attribute(const Parameters& of) { return of.axis ? Attributes{{"axis", *of.axis}} : Attributes{}; }

/// A narrower range than that of the dtype. In front of one known scale it is one of floats, which runtimes take for a
/// part of the product before; it is rounded to the last integer.
std::string quantize_linear(Call& call, const Parameters& of, const std::string& x, DType dtype, const Range& range) {
  std::string floats = call.value(x, DType::kFloat32);
  const bool is_narrow = range != range_of(call, dtype);
  const bool is_known = !of.axis && call.constant(of.scale) && known_zero_points(call, of);
  if (is_narrow && is_known) {
    const double scale = float(call.number(of.scale)), zero_point = double(known_zero_points(call, of)->front());
    const auto bound = [&](int64_t value) {
      return call.scalar((double(value) - zero_point) * scale, DType::kFloat32);
    };
    floats = call.emit("Clip", {floats, bound(range.low), bound(range.high)});
  }
  const Names inputs{floats, linear_numbers(call, of, of.scale, DType::kFloat32),
                     linear_numbers(call, of, of.zero_point, dtype)};
  const std::string y = call.emit("QuantizeLinear", inputs, axis_attribute(of));
  if (!is_narrow || is_known) return y;
  return call.emit("Clip", {y, call.scalar(double(range.low), dtype), call.scalar(double(range.high), dtype)});
}

/// QuantizeLinear does it, with zero points of the integers' dtype. Runtimes know it by a scale that is known; one that
/// is chosen from the tensor puts its ends into the middle between two integers.
bool quantizes_linearly(Call& call, const Parameters& of, DType dtype) {
  return call.constant(of.scale) && has_linear_form(call, dtype) && !has_wide_scales(call, of) &&
         are_in_range(call, of, range_of(call, dtype));
}

void quantize(Call& call, const Parameters& of) {
  const DType dtype = call.dtype();
  const Range range = asked_range(call, range_of(call, dtype));
  check_scales(call, of);
  if (quantizes_linearly(call, of, dtype)) return call.set(quantize_linear(call, of, "input", dtype, range));
  call.set(call.cast(spelled_integers(call, of, "input", range), dtype));
}

void quantize_per_tensor(Call& call) { quantize(call, kOfTensor); }
void quantize_per_channel(Call& call) { quantize(call, per_channel(call)); }

/// DequantizeLinear takes zero points of the integers' dtype, of int32 only 0.
bool dequantizes_linearly(Call& call, const Parameters& of, DType dtype) {
  if (has_wide_scales(call, of)) return false;
  if (dtype == DType::kInt32) return are_zero(known_zero_points(call, of));
  return has_linear_form(call, dtype) && are_in_range(call, of, range_of(call, dtype));
}

std::string dequantize_linear(Call& call, const Parameters& of, const std::string& integers, DType dtype) {
  Names inputs{integers, linear_numbers(call, of, of.scale, DType::kFloat32)};
  if (dtype != DType::kInt32 && call.has(of.zero_point)) {
    inputs.push_back(linear_numbers(call, of, of.zero_point, dtype));
  }
  return call.emit("DequantizeLinear", inputs, axis_attribute(of));
}

/// (integer - zero point) * scale, the difference in one dtype and the product in another.
std::string spelled_floats(Call& call, const Parameters& of, const std::string& x, DType difference, DType product) {
  std::string y = call.value(x, difference);
  if (!are_zero(known_zero_points(call, of))) {
    y = call.emit("Sub", {y, broadcast_numbers(call, of, of.zero_point, x, difference)});
  }
  return call.emit("Mul", {call.cast(y, product), broadcast_numbers(call, of, of.scale, x, product)});
}

/// The difference is rounded to the dtype of the result, the product, too.
void dequantize_per_tensor(Call& call) {
  const DType dtype = call.tensor("input").dtype, result = call.dtype();
  range_of(call, dtype);
  if (result == DType::kFloat32 && dequantizes_linearly(call, kOfTensor, dtype)) {
    return call.set(dequantize_linear(call, kOfTensor, call.value("input"), dtype));
  }
  const DType product = is_half(result) ? DType::kFloat32 : result;
  call.set(call.cast(spelled_floats(call, kOfTensor, "input", result, product), result));
}

/// The difference is one of int64, or of the zero points' floats; the product has the dtype of the scales.
void dequantize_per_channel(Call& call) {
  const Parameters of = per_channel(call);
  const DType dtype = call.tensor("input").dtype;
  range_of(call, dtype);
  std::string y;
  if (dequantizes_linearly(call, of, dtype)) {
    y = dequantize_linear(call, of, call.value("input"), dtype);
  } else {
    const bool is_float = call.has("zero_points") && is_floating(call.tensor("zero_points").dtype);
    const DType product = call.promoted({"scales"});
    y = spelled_floats(call, of, "input", is_float ? product : DType::kInt64, product);
  }
  call.set(call.cast(y, call.dtype()));
}

// Rows: scales and zero points have a last axis of size 1, so that operators broadcast them.

/// The zero points are added before rounding.
std::string integers_of_rows(Call& call, const std::string& x, const std::string& scales,
                             const std::string& zero_points, const Range& range, DType dtype) {
  const std::string quotient = call.emit("Mul", {x, call.emit("Div", {call.scalar(1, dtype), scales})});
  const std::string rounded = call.emit("Round", {call.emit("Add", {quotient, zero_points})});
  return call.cast(clamped_integers(call, rounded, range), call.dtype());
}

void quantize_per_token(Call& call) {
  const DType dtype = call.promoted({"input", "scales", "zero_points"});
  const Range range = asked_range(call, range_of(call, call.dtype()));
  call.set(integers_of_rows(call, call.value("input", dtype), call.value("scales", dtype),
                            call.value("zero_points", dtype), range, dtype));
}

void dequantize_per_token(Call& call) {
  range_of(call, call.tensor("input").dtype);
  const DType dtype = call.promoted({"input", "scales", "zero_points"});
  const std::string difference = call.emit("Sub", {call.value("input", dtype), call.value("zero_points", dtype)});
  call.set(call.cast(call.emit("Mul", {difference, call.value("scales", dtype)}), call.dtype()));
}

/// The elements of a matrix that share a scale, as a row each.
int64_t group_of(Call& call) {
  const TensorInfo& x = call.tensor(call.has("w_int8") ? "w_int8" : "input");
  const int64_t columns = x.size(-1), asked = call.positive("group_size");
  const int64_t group = asked > columns && call.tensor("scales").size(-1) == 1 ? columns : asked;
  if (x.dim() != 2 || columns % group != 0) call.refuse("its groups do not divide the rows of a matrix");
  return group;
}

std::string column_of(Call& call, const std::string& name, DType dtype) {
  return call.emit("Reshape", {call.value(name, dtype), call.constant_of({-1, 1})});
}

void quantize_per_channel_group(Call& call) {
  const DType dtype = call.promoted({"input", "scales", "zero_points"});
  const Range range = asked_range(call, range_of(call, call.dtype()));
  const std::string groups = call.emit("Reshape", {call.value("input", dtype), call.constant_of({-1, group_of(call)})});
  const std::string y = integers_of_rows(call, groups, column_of(call, "scales", dtype),
                                         column_of(call, "zero_points", dtype), range, dtype);
  call.set(call.emit("Reshape", {y, call.emit("Shape", {call.value("input")})}));
}

void dequantize_per_channel_group(Call& call) {
  const std::string name = call.has("w_int8") ? "w_int8" : "input";
  range_of(call, call.tensor(name).dtype);
  const DType dtype = call.promoted({"scales"});
  std::string y = call.emit("Reshape", {call.value(name, dtype), call.constant_of({-1, group_of(call)})});
  if (call.has("zero_points")) y = call.emit("Sub", {y, column_of(call, "zero_points", dtype)});
  y = call.emit("Mul", {y, column_of(call, "scales", dtype)});
  call.set(call.cast(call.emit("Reshape", {y, call.emit("Shape", {call.value(name)})}), call.dtype()));
}

// Scales and zero points chosen from the tensor.

/// The least and the greatest element and 0, over axes.
struct Extent {
  std::string least, greatest;
};
Extent extent_of(Call& call, const std::string& x, DType dtype, const Integers& axes) {
  const std::string zero = call.scalar(0, dtype);
  return {call.emit("Min", {reduce(call, "ReduceMin", x, axes, true), zero}),
          call.emit("Max", {reduce(call, "ReduceMax", x, axes, true), zero})};
}

/// Of a whole tensor, as one number in a tensor of rank 1.
Extent extent_of_tensor(Call& call) {
  const DType dtype = call.tensor("input").dtype;
  return extent_of(call, flattened(call, call.value("input")), dtype, {0});
}

/// The scale, at least eps.
std::string bounded_scale(Call& call, const std::string& length, double steps, DType dtype) {
  if (!(steps > 0)) call.refuse("quant_min must be below quant_max");
  const std::string scale = call.emit("Div", {length, call.scalar(steps, dtype)});
  const std::string eps = call.scalar(call.number("eps"), DType::kFloat32);
  return call.emit("Max", {call.cast(scale, DType::kFloat32), eps});
}

void set_parameters(Call& call, const std::string& scale, const std::string& zero_point) {
  call.set_result(0, call.cast(scale, call.dtype(0)));
  call.set_result(1, call.cast(zero_point, call.dtype(1)));
}

Range chosen_range(Call& call) { return asked_range(call, range_of(call, DType::kInt32)); }

/// The zero point is the integer of the number 0.
void choose_parameters(Call& call) {
  const DType dtype = call.tensor("input").dtype;
  const Range range = chosen_range(call);
  const Extent extent = extent_of_tensor(call);
  const std::string length = call.emit("Sub", {extent.greatest, extent.least});
  const std::string scale = bounded_scale(call, length, double(range.high - range.low), dtype);
  const std::string steps = call.emit("Round", {call.emit("Div", {call.cast(extent.least, DType::kFloat32), scale})});
  const std::string zero_point = call.emit("Sub", {integer_of(call, range.low), call.cast(steps, DType::kInt64)});
  const std::string low = integer_of(call, range.low), high = integer_of(call, range.high);
  set_parameters(call, scale, call.emit("Clip", {zero_point, low, high}));
}

/// The zero point is in the middle of the integers: at 128 of uint8, which alone have none below 0.
void choose_symmetric_parameters(Call& call) {
  const DType dtype = call.tensor("input").dtype;
  const Range range = chosen_range(call);
  const Extent extent = extent_of_tensor(call);
  const std::string length = call.emit("Max", {call.emit("Neg", {extent.least}), extent.greatest});
  const std::string scale = bounded_scale(call, length, double(range.high - range.low) / 2, dtype);
  set_parameters(call, scale, call.constant_of({range.low >= 0 ? 128 : 0}));
}

/// Of each row, for int8: |x| over 127.
void choose_parameters_per_token(Call& call) {
  const DType dtype = call.tensor("input").dtype, wide = dtype == DType::kFloat16 ? DType::kFloat32 : dtype;
  const std::string most = reduce(call, "ReduceMax", call.emit("Abs", {call.value("input")}), {-1}, true);
  const std::string least = call.scalar(1e-5, wide);
  const std::string scale =
      call.emit("Div", {call.emit("Max", {call.cast(most, wide), least}), call.scalar(127, wide)});
  set_parameters(call, scale, call.emit("Mul", {scale, call.scalar(0, wide)}));
}

/// Of each row, for int8: the zero point follows the end of the range that it moves less.
void choose_asymmetric_parameters_per_token(Call& call) {
  const DType dtype = call.tensor("input").dtype;
  const Extent extent = extent_of(call, call.value("input"), dtype, {-1});
  const auto number = [&](double value) { return call.scalar(value, dtype); };
  const std::string length = call.emit("Sub", {extent.greatest, extent.least});
  const std::string eps = number(std::numeric_limits<float>::epsilon());
  const std::string scale = call.emit("Max", {call.emit("Div", {length, number(255)}), eps});
  const std::string low = call.emit("Div", {extent.least, scale}), high = call.emit("Div", {extent.greatest, scale});
  const std::string error =
      call.emit("Add", {call.emit("Add", {low, number(-128)}), call.emit("Add", {high, number(127)})});
  const std::string zero_point =
      call.emit("Where", {call.emit("Greater", {error, number(0)}), call.emit("Sub", {number(-128), low}),
                          call.emit("Sub", {number(127), high})});
  set_parameters(call, scale, call.emit("Round", {call.emit("Clip", {zero_point, number(-128), number(127)})}));
}

// Quantised and dequantised at once, for training.

/// The first dtype of QuantizeLinear that has all integers of a range.
std::optional<DType> dtype_for(Call& call, const Range& range) {
  for (const DType dtype : {DType::kUint8, DType::kInt8, DType::kUint16, DType::kInt16}) {
    if (has_linear_form(call, dtype) && range_of(call, dtype).holds(range)) return dtype;
  }
  return std::nullopt;
}

/// In float32, whatever the dtype of x.
std::string fake_quantized(Call& call, const Parameters& of, const std::string& x) {
  const Range range = asked_range(call, range_of(call, DType::kInt32));
  check_scales(call, of);
  const std::optional<DType> dtype = dtype_for(call, range);
  if (dtype && quantizes_linearly(call, of, *dtype)) {
    const std::string integers = quantize_linear(call, of, x, *dtype, range);
    return call.cast(dequantize_linear(call, of, integers, *dtype), call.dtype());
  }
  const std::string integers = spelled_integers(call, of, x, range);
  const auto numbers = [&](const std::string& name, DType in) { return broadcast_numbers(call, of, name, x, in); };
  const std::string difference = call.emit("Sub", {integers, numbers(of.zero_point, exact_dtype(range))});
  const std::string product =
      call.emit("Mul", {call.cast(difference, DType::kFloat32), numbers(of.scale, DType::kFloat32)});
  return call.cast(product, call.dtype());
}

/// A mask of the numbers within the range, of forms that have one, is for gradients: it has no value.
void fake_quantize_per_tensor(Call& call) { call.set(fake_quantized(call, kOfFakeTensor, "self")); }
void fake_quantize_per_channel(Call& call) {
  call.set(fake_quantized(call, along_axis(call, "self", "scale", "zero_point"), "self"));
}
void fake_quantize_per_channel_decomposed(Call& call) { call.set(fake_quantized(call, per_channel(call), "input")); }

/// Where a tensor of one element is 1.
void fake_quantize_where_enabled(Call& call) {
  const std::string y = fake_quantized(call, kOfFakeTensor, "self");
  if (call.constant("fake_quant_enabled")) return call.set(call.flag("fake_quant_enabled") ? y : call.value());
  const std::string enabled = scalar_of(call, "fake_quant_enabled", DType::kBool);
  call.set(call.emit("Where", {enabled, y, call.value()}));
}

void convert_element_type(Call& call) { call.set(call.value("input", call.dtype())); }

}  // namespace

void register_quantization(Lowerings& lowerings) {
  lowerings.add({"quantized_decomposed::quantize_per_tensor", "quantized_decomposed::quantize_per_tensor.tensor",
                 "quantized_decomposed::quantize_per_tensor.tensor2"},
                quantize_per_tensor);
  lowerings.add({"quantized_decomposed::dequantize_per_tensor", "quantized_decomposed::dequantize_per_tensor.tensor",
                 "quantized_decomposed::dequantize_per_tensor.tensor2"},
                dequantize_per_tensor);
  lowerings.add("quantized_decomposed::quantize_per_channel", quantize_per_channel);
  lowerings.add("quantized_decomposed::dequantize_per_channel", dequantize_per_channel);
  lowerings.add("quantized_decomposed::quantize_per_token", quantize_per_token);
  lowerings.add("quantized_decomposed::dequantize_per_token", dequantize_per_token);
  lowerings.add("quantized_decomposed::quantize_per_channel_group", quantize_per_channel_group);
  lowerings.add("quantized_decomposed::dequantize_per_channel_group", dequantize_per_channel_group);
  lowerings.add("quantized_decomposed::choose_qparams.tensor", choose_parameters);
  lowerings.add("quantized_decomposed::choose_qparams_symmetric.tensor", choose_symmetric_parameters);
  lowerings.add("quantized_decomposed::choose_qparams_per_token", choose_parameters_per_token);
  lowerings.add({"quantized_decomposed::choose_qparams_per_token_asymmetric",
                 "quantized_decomposed::_choose_qparams_per_token_asymmetric_impl"},
                choose_asymmetric_parameters_per_token);
  lowerings.add("quantized_decomposed::convert_element_type.no_fuse", convert_element_type);
  lowerings.add("quantized_decomposed::fake_quant_per_channel", fake_quantize_per_channel_decomposed);
  lowerings.add({"aten::fake_quantize_per_tensor_affine", "aten::fake_quantize_per_tensor_affine.tensor_qparams",
                 "aten::fake_quantize_per_tensor_affine_cachemask"},
                fake_quantize_per_tensor);
  lowerings.add("aten::_fake_quantize_per_tensor_affine_cachemask_tensor_qparams", fake_quantize_where_enabled);
  lowerings.add({"aten::fake_quantize_per_channel_affine", "aten::fake_quantize_per_channel_affine_cachemask"},
                fake_quantize_per_channel);
}

}  // namespace linnet::exporter
