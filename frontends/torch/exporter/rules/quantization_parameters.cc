#include <limits>

#include "building_blocks.h"
#include "integer_range.h"
#include "rule_list.h"

// Scales and zero points chosen from a tensor.
namespace linnet::exporter {
namespace {

/// The least and the greatest of the elements and 0, over axes.
struct Extent {
  std::string least, greatest;
};
Extent extent_of(Call& call, const std::string& x, DType dtype, const Integers& axes) {
  const std::string zero = call.scalar(0, dtype);
  return {call.emit("Min", {reduce(call, "ReduceMin", x, axes, true), zero}),
          call.emit("Max", {reduce(call, "ReduceMax", x, axes, true), zero})};
}

/// Returns the extent of a whole tensor, as numbers in tensors of rank 1.
Extent extent_of_tensor(Call& call) {
  const DType dtype = call.tensor("input").dtype;
  return extent_of(call, flattened(call, call.value("input")), dtype, {0});
}

/// Returns the scale, which is at least eps.
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

/// The zero point is the integer that represents 0.
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

/// The zero point is in the middle of the integers: 128 for uint8, which has no negative integers, else 0.
void choose_symmetric_parameters(Call& call) {
  const DType dtype = call.tensor("input").dtype;
  const Range range = chosen_range(call);
  const Extent extent = extent_of_tensor(call);
  const std::string length = call.emit("Max", {call.emit("Neg", {extent.least}), extent.greatest});
  const std::string scale = bounded_scale(call, length, double(range.high - range.low) / 2, dtype);
  set_parameters(call, scale, call.constant_of({range.low >= 0 ? 128 : 0}));
}

/// Chooses a scale for each row, for int8: the largest |x| divided by 127.
void choose_parameters_per_token(Call& call) {
  const DType dtype = call.tensor("input").dtype, wide = dtype == DType::kFloat16 ? DType::kFloat32 : dtype;
  const std::string most = reduce(call, "ReduceMax", call.emit("Abs", {call.value("input")}), {-1}, true);
  const std::string least = call.scalar(1e-5, wide);
  const std::string scale =
      call.emit("Div", {call.emit("Max", {call.cast(most, wide), least}), call.scalar(127, wide)});
  set_parameters(call, scale, call.emit("Mul", {scale, call.scalar(0, wide)}));
}

/// Chooses a scale and a zero point for each row, for int8. The zero point fits the end of the range with the smaller
/// error.
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

}  // namespace

void register_quantization_parameters(Lowerings& lowerings) {
  lowerings.add("quantized_decomposed::choose_qparams.tensor", choose_parameters);
  lowerings.add("quantized_decomposed::choose_qparams_symmetric.tensor", choose_symmetric_parameters);
  lowerings.add("quantized_decomposed::choose_qparams_per_token", choose_parameters_per_token);
  lowerings.add({"quantized_decomposed::choose_qparams_per_token_asymmetric",
                 "quantized_decomposed::_choose_qparams_per_token_asymmetric_impl"},
                choose_asymmetric_parameters_per_token);
}

}  // namespace linnet::exporter
