#include "building_blocks.h"
#include "integer_range.h"
#include "rule_list.h"

// Quantised tensors with a scale and a zero point for each row. These have a last axis of size 1, so that operators
// broadcast them.
namespace linnet::exporter {
namespace {

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

/// Returns the number of consecutive elements in a row that share a scale.
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

}  // namespace

void register_quantized_rows(Lowerings& lowerings) {
  lowerings.add("quantized_decomposed::quantize_per_token", quantize_per_token);
  lowerings.add("quantized_decomposed::dequantize_per_token", dequantize_per_token);
  lowerings.add("quantized_decomposed::quantize_per_channel_group", quantize_per_channel_group);
  lowerings.add("quantized_decomposed::dequantize_per_channel_group", dequantize_per_channel_group);
}

}  // namespace linnet::exporter
