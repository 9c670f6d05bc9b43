#include <algorithm>
#include <cmath>
#include <optional>

#include "building_blocks.h"
#include "constants.h"
#include "integer_range.h"
#include "rule_list.h"

// Quantised tensors as pairs of QuantizeLinear and DequantizeLinear, which runtimes fuse to products of bytes. PyTorch
// multiplies by the reciprocal of the scale, QuantizeLinear divides by the scale. Numbers near the middle between two
// integers, about one in a million, may therefore be rounded to the other one. What QuantizeLinear cannot express is
// emitted step by step, as PyTorch computes it.
// Source: https://onnx.ai/onnx/operators/onnx__QuantizeLinear.html
namespace linnet::exporter {
namespace {

/// Whether QuantizeLinear and DequantizeLinear support these integers in the file's opset.
bool has_linear_form(Call& call, DType dtype) {
  const int bits = dtype_bits(dtype);
  return bits == 8 || (bits == 16 && call.options().opset >= 21);
}

/// The arguments of a call that are scales and zero points: one of each, or one of each for every place along an axis.
/// `precision` is the dtype of a single scale's reciprocal.
struct Parameters {
  std::string scale, zero_point;
  std::optional<int64_t> axis{};
  DType precision = DType::kFloat64;
};
const Parameters kOfTensor{"scale", "zero_point"};
const Parameters kOfFakeTensor{"scale", "zero_point", {}, DType::kFloat32};

/// Returns the parameters of each place along the axis. Refuses them unless they have rank 1 and one number for each
/// place.
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

/// Returns the only number of an argument in a dtype, without axes.
std::string scalar_of(Call& call, const std::string& name, DType dtype) {
  if (call.constant(name)) return call.scalar(call.number(name), dtype);
  const std::string value = call.value(name, dtype);
  const bool bare = !call.is_tensor(name) || call.tensor(name).dim() == 0;
  return bare ? value : call.emit("Reshape", {value, call.constant_of(Integers{})});
}

/// Returns numbers for QuantizeLinear, which broadcasts them itself.
std::string linear_numbers(Call& call, const Parameters& of, const std::string& name, DType dtype) {
  return of.axis ? call.value(name, dtype) : scalar_of(call, name, dtype);
}

/// Returns numbers in a shape that other operators can broadcast to tensor x.
std::string broadcast_numbers(Call& call, const Parameters& of, const std::string& name, const std::string& x,
                              DType dtype) {
  if (!of.axis) return scalar_of(call, name, dtype);
  Integers shape(size_t(call.tensor(x).dim() - *of.axis), 1);
  shape[0] = -1;
  return call.emit("Reshape", {call.value(name, dtype), call.constant_of(shape)});
}

/// Returns the zero points if they are known; without zero points, a single 0.
std::optional<Integers> known_zero_points(Call& call, const Parameters& of) {
  if (!call.has(of.zero_point)) return Integers{0};
  if (!call.constant(of.zero_point)) return std::nullopt;
  if (!call.is_tensor(of.zero_point)) return Integers{call.integer(of.zero_point)};
  return Integers(integers_in(call.tensor(of.zero_point).contents));
}

bool are_zero(const std::optional<Integers>& zero_points) {
  return zero_points && std::ranges::all_of(*zero_points, [](int64_t zero_point) { return zero_point == 0; });
}

/// Whether the zero points are integers in the range. Those that depend on the model's inputs are assumed to be.
bool are_in_range(Call& call, const Parameters& of, const Range& range) {
  if (call.has(of.zero_point) && call.is_tensor(of.zero_point) && is_floating(call.tensor(of.zero_point).dtype)) {
    return false;
  }
  const std::optional<Integers> known = known_zero_points(call, of);
  return !known || std::ranges::all_of(*known, [&](int64_t zero_point) { return range.has(zero_point); });
}

/// Refuses known scales that are not positive and finite as float32.
void check_scales(Call& call, const Parameters& of) {
  if (!call.constant(of.scale)) return;
  const Numbers scales =
      call.is_tensor(of.scale) ? Numbers(numbers_in(call.tensor(of.scale).contents)) : Numbers{call.number(of.scale)};
  for (const double scale : scales) {
    if (!(float(scale) > 0 && std::isfinite(float(scale)))) call.refuse("a scale is not a positive number");
  }
}

bool has_wide_scales(Call& call, const Parameters& of) {
  return of.axis && call.tensor(of.scale).dtype == DType::kFloat64;
}

/// Returns 1 / scale.
std::string reciprocals(Call& call, const Parameters& of, const std::string& x, DType dtype) {
  const DType precision = of.axis ? dtype : of.precision;
  const std::string scale = broadcast_numbers(call, of, of.scale, x, precision);
  return call.cast(call.emit("Div", {call.scalar(1, precision), scale}), dtype);
}

/// Quantises step by step as PyTorch does: a float times the reciprocal of the scale, rounded, plus the zero point.
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

/// Emits QuantizeLinear for a range that may be narrower than that of the dtype. With one known scale, floats are
/// clipped before it; runtimes fuse that with the preceding product. Otherwise the integers are clipped.
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

/// Whether QuantizeLinear expresses the call, with zero points of the integers' dtype. The scale must be known, because
/// runtimes recognise the pattern by it, and because a scale chosen from the tensor puts its ends midway between two
/// integers.
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

/// Whether DequantizeLinear expresses the call. It takes zero points of the integers' dtype, for int32 only 0.
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

/// Emits (integer - zero point) * scale, the difference in one dtype and the product in another.
std::string spelled_floats(Call& call, const Parameters& of, const std::string& x, DType difference, DType product) {
  std::string y = call.value(x, difference);
  if (!are_zero(known_zero_points(call, of))) {
    y = call.emit("Sub", {y, broadcast_numbers(call, of, of.zero_point, x, difference)});
  }
  return call.emit("Mul", {call.cast(y, product), broadcast_numbers(call, of, of.scale, x, product)});
}

/// The difference and the product are both rounded to the dtype of the result.
void dequantize_per_tensor(Call& call) {
  const DType dtype = call.tensor("input").dtype, result = call.dtype();
  range_of(call, dtype);
  if (result == DType::kFloat32 && dequantizes_linearly(call, kOfTensor, dtype)) {
    return call.set(dequantize_linear(call, kOfTensor, call.value("input"), dtype));
  }
  const DType product = is_half(result) ? DType::kFloat32 : result;
  call.set(call.cast(spelled_floats(call, kOfTensor, "input", result, product), result));
}

/// The difference is in int64, or in the dtype of floating-point zero points. The product has the dtype of the scales.
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

// Fake quantisation, for training: quantises and dequantises.

/// Returns the first dtype of QuantizeLinear that has all integers of a range.
std::optional<DType> dtype_for(Call& call, const Range& range) {
  for (const DType dtype : {DType::kUint8, DType::kInt8, DType::kUint16, DType::kInt16}) {
    if (has_linear_form(call, dtype) && range_of(call, dtype).holds(range)) return dtype;
  }
  return std::nullopt;
}

/// Computes in float32, whatever the dtype of x.
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

/// Some forms also return a mask of the numbers within the range. It is only for gradients and has no value here.
void fake_quantize_per_tensor(Call& call) { call.set(fake_quantized(call, kOfFakeTensor, "self")); }
void fake_quantize_per_channel(Call& call) {
  call.set(fake_quantized(call, along_axis(call, "self", "scale", "zero_point"), "self"));
}
void fake_quantize_per_channel_decomposed(Call& call) { call.set(fake_quantized(call, per_channel(call), "input")); }

/// Quantises only if a tensor of one element is 1.
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
