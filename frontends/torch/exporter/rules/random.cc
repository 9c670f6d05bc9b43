#include <cmath>
#include <limits>

#include "building_blocks.h"
#include "rule_list.h"

// Random tensors. The runtime generates other numbers in each run; PyTorch's seed does not affect them.
// Source: https://onnx.ai/onnx/operators/onnx__RandomUniform.html
namespace linnet::exporter {
namespace {

/// The operator, "RandomUniform" or "RandomNormal", with the attributes of its distribution.
struct Distribution {
  std::string op_type;
  Attributes attributes{};
};
const Distribution kUniform{"RandomUniform"}, kNormal{"RandomNormal"};

/// Returns random numbers of float32 or float64 in a shape. `sizes` names the argument with the sizes, or the tensor
/// whose shape is used.
std::string drawn(Call& call, const Distribution& distribution, const std::string& sizes, DType dtype) {
  Attributes attributes = distribution.attributes;
  attributes["dtype"] = int64_t(dtype);
  if (call.constant(sizes) && !call.is_tensor(sizes)) {
    attributes["shape"] = std::vector<int64_t>(call.integers(sizes));
    return call.emit(distribution.op_type, {}, attributes);
  }
  const std::string like =
      call.is_tensor(sizes) ? call.value(sizes) : call.emit("ConstantOfShape", {call.shape(sizes)});
  return call.emit(distribution.op_type + "Like", {like}, attributes);
}

/// Returns the dtype that ONNX samples in. For other dtypes, float32 is rounded.
DType drawn_dtype(DType dtype) { return dtype == DType::kFloat64 ? dtype : DType::kFloat32; }

/// Returns numbers in [0, 1). For half types, the numbers have few enough digits that none rounds to 1.
std::string uniform_numbers(Call& call, const std::string& sizes, DType dtype) {
  const std::string u = drawn(call, kUniform, sizes, drawn_dtype(dtype));
  if (!is_half(dtype)) return call.cast(u, dtype);
  const std::string parts = call.scalar(dtype == DType::kFloat16 ? 0x1p11 : 0x1p8, DType::kFloat32);
  const std::string whole = call.emit("Floor", {call.emit("Mul", {u, parts})});
  return call.cast(call.emit("Div", {whole, parts}), dtype);
}

std::string normal_numbers(Call& call, const std::string& sizes, DType dtype) {
  return call.cast(drawn(call, kNormal, sizes, drawn_dtype(dtype)), dtype);
}

Lowering uniform(const std::string& sizes) {
  return [sizes](Call& call) { call.set(uniform_numbers(call, sizes, call.dtype())); };
}
Lowering standard_normal(const std::string& sizes) {
  return [sizes](Call& call) { call.set(normal_numbers(call, sizes, call.dtype())); };
}

/// In place: numbers in [from, to).
void uniform_between(Call& call) {
  const DType dtype = call.dtype();
  const double from = call.has("from") ? call.number("from") : 0, to = call.has("to") ? call.number("to") : 1;
  if (!(from <= to)) call.refuse("from must not be above to");
  const std::string u = uniform_numbers(call, "self", dtype);
  call.set(call.emit("Add", {call.emit("Mul", {u, call.scalar(to - from, dtype)}), call.scalar(from, dtype)}));
}

/// Emits mean + std * z, where mean and std are tensors or numbers.
void set_normal(Call& call, const std::string& z) {
  const DType dtype = call.dtype();
  if (call.constant("std") && !call.is_tensor("std") && !(call.number("std") >= 0)) call.refuse("std is negative");
  call.set(call.emit("Add", {call.emit("Mul", {z, call.value("std", dtype)}), call.value("mean", dtype)}));
}

Lowering normal(const std::string& sizes) {
  return [sizes](Call& call) { set_normal(call, normal_numbers(call, sizes, call.dtype())); };
}

/// Broadcasts mean and std.
void normal_of_tensors(Call& call) {
  const std::string sum = call.emit("Add", {call.value("mean"), call.value("std")});
  const DType dtype = call.dtype();
  const Attributes attributes{{"dtype", int64_t(drawn_dtype(dtype))}};
  set_normal(call, call.cast(call.emit("RandomNormalLike", {sum}, attributes), dtype));
}

/// Emits integers in [low, high). A float64 below 1 times an integer never reaches the integer.
Lowering integers(const std::string& sizes) {
  return [sizes](Call& call) {
    const std::string low = call.has("low") ? call.value("low", DType::kInt64) : call.scalar(0, DType::kInt64);
    const std::string count = call.emit("Sub", {call.value("high", DType::kInt64), low});
    const std::string u = drawn(call, kUniform, sizes, DType::kFloat64);
    const std::string steps = call.emit("Floor", {call.emit("Mul", {u, call.cast(count, DType::kFloat64)})});
    call.set(call.cast(call.emit("Add", {call.cast(steps, DType::kInt64), low}), call.dtype()));
  };
}

/// Emits 1 with the given probability, else 0.
void set_bernoulli(Call& call, const std::string& probability) {
  const std::string u = drawn(call, kUniform, "self", DType::kFloat64);
  call.set(call.cast(call.emit("Less", {u, probability}), call.dtype()));
}

void bernoulli_of_number(Call& call) {
  const double p = call.number("p");
  if (!(p >= 0 && p <= 1)) call.refuse("p must be in [0, 1]");
  set_bernoulli(call, call.scalar(p, DType::kFloat64));
}
void bernoulli_of_tensor(Call& call) { set_bernoulli(call, call.value("p", DType::kFloat64)); }
void bernoulli(Call& call) { set_bernoulli(call, call.value("self", DType::kFloat64)); }

/// Returns -log(1 - u), which is above 0.
std::string exponential_numbers(Call& call, DType dtype) {
  const std::string u = drawn(call, kUniform, "self", DType::kFloat64);
  const std::string rest = call.emit("Sub", {call.scalar(1, DType::kFloat64), u});
  const std::string y = call.cast(call.emit("Neg", {call.emit("Log", {rest})}), dtype);
  const double least = dtype == DType::kFloat16 ? 0x1p-24 : std::numeric_limits<float>::min();
  return call.emit("Max", {y, call.scalar(least, dtype)});
}

void exponential(Call& call) {
  const DType dtype = call.dtype();
  const double rate = call.has("lambd") ? call.number("lambd") : 1;
  if (!(rate > 0)) call.refuse("lambd must be above 0");
  call.set(call.emit("Div", {exponential_numbers(call, dtype), call.scalar(rate, dtype)}));
}

/// Emits the order of random numbers.
void permutation(Call& call) {
  const std::string u = drawn(call, kUniform, "n", DType::kFloat64);
  const Names sorted = call.emit_many("TopK", {u, call.shape("n")}, {{"axis", 0}}, 2);
  call.set(call.cast(sorted[1], call.dtype()));
}

/// Samples classes by their weights. ONNX samples with replacement. Without replacement, each class waits for a random
/// time whose mean is the reciprocal of its weight, and the first classes are selected.
void multinomial(Call& call) {
  const bool replaces = call.has("replacement") && call.flag("replacement");
  if (!replaces) {
    const DType dtype = drawn_dtype(call.tensor().dtype);
    const std::string rates = call.emit("Div", {call.value("self", dtype), exponential_numbers(call, dtype)});
    return call.set(call.emit_many("TopK", {rates, call.shape("num_samples")}, {{"axis", -1}}, 2)[1]);
  }
  const bool single = call.tensor().dim() == 1;
  std::string weights = call.value("self", DType::kFloat32);
  if (single) weights = change_axes(call, "Unsqueeze", weights, {0});
  const Attributes attributes{{"dtype", int64_t(DType::kInt64)}, {"sample_size", call.positive("num_samples")}};
  const std::string y = call.emit("Multinomial", {call.emit("Log", {weights})}, attributes);
  call.set(single ? change_axes(call, "Squeeze", y, {0}) : y);
}

}  // namespace

void register_random(Lowerings& lowerings) {
  lowerings.add("aten::rand", uniform("size"));
  lowerings.add("aten::rand_like", uniform("self"));
  lowerings.add("aten::randn", standard_normal("size"));
  lowerings.add("aten::randn_like", standard_normal("self"));
  lowerings.add("aten::uniform", uniform_between);
  lowerings.add({"aten::normal", "aten::normal_functional"}, normal("self"));
  lowerings.add("aten::normal.float_float", normal("size"));
  lowerings.add("aten::normal.Tensor_float", normal("mean"));
  lowerings.add("aten::normal.float_Tensor", normal("std"));
  lowerings.add("aten::normal.Tensor_Tensor", normal_of_tensors);
  lowerings.add({"aten::randint", "aten::randint.low"}, integers("size"));
  lowerings.add({"aten::randint_like", "aten::randint_like.low_dtype"}, integers("self"));
  lowerings.add("aten::bernoulli", bernoulli);
  lowerings.add({"aten::bernoulli.p", "aten::bernoulli.float"}, bernoulli_of_number);
  lowerings.add("aten::bernoulli.Tensor", bernoulli_of_tensor);
  lowerings.add("aten::exponential", exponential);
  lowerings.add("aten::randperm", permutation);
  lowerings.add("aten::multinomial", multinomial);
}

}  // namespace linnet::exporter
