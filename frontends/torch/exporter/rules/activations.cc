#include "building_blocks.h"
#include "rule_list.h"

// Activations. All compute in the dtype of the result.
// Source: https://pytorch.org/docs/stable/nn.functional.html#non-linear-activation-functions
namespace linnet::exporter {
namespace {

std::string x_of(Call& call) { return call.value("self", call.dtype()); }

void leaky_relu(Call& call) {
  call.set(call.emit("LeakyRelu", {x_of(call)}, {{"alpha", call.number("negative_slope")}}));
}

/// Emits scale * (max(0, x) + min(0, alpha * (exp(x * input_scale) - 1))) as Elu.
void elu(Call& call) {
  if (call.number("scale") != 1 || call.number("input_scale") != 1) call.refuse("only scale 1 and input_scale 1");
  call.set(call.emit("Elu", {x_of(call)}, {{"alpha", call.number("alpha")}}));
}

void celu(Call& call) { call.set(call.emit("Celu", {x_of(call)}, {{"alpha", call.number("alpha")}})); }

void selu(Call& call) {
  const Attributes numbers{{"alpha", 1.6732632423543772848170429916717}, {"gamma", 1.0507009873554804934193349852946}};
  call.set(call.emit("Selu", {x_of(call)}, numbers));
}

/// Clips to [min, max]. Each bound may be missing, a number or a tensor.
void clamp(Call& call) {
  const auto bound = [&](const std::string& name) {
    return call.has(name) ? call.value(name, call.dtype()) : std::string();
  };
  call.set(call.emit("Clip", {x_of(call), bound("min"), bound("max")}));
}

/// Clips to bounds that are tensors, which are broadcast.
void clamp_tensor(Call& call) {
  std::string y = x_of(call);
  if (call.has("min")) y = call.emit("Max", {y, call.value("min", call.dtype())});
  if (call.has("max")) y = call.emit("Min", {y, call.value("max", call.dtype())});
  call.set(y);
}

void clamp_min(Call& call) { call.set(call.emit("Max", {x_of(call), call.value("min", call.dtype())})); }
void clamp_max(Call& call) { call.set(call.emit("Min", {x_of(call), call.value("max", call.dtype())})); }

void hardtanh(Call& call) {
  const auto bound = [&](const std::string& name) { return call.value(name, call.dtype()); };
  call.set(call.emit("Clip", {x_of(call), bound("min_val"), bound("max_val")}));
}

void relu6(Call& call) {
  call.set(call.emit("Clip", {x_of(call), call.scalar(0, call.dtype()), call.scalar(6, call.dtype())}));
}

std::string hard_sigmoid(Call& call) {
  return call.emit("HardSigmoid", {x_of(call)}, {{"alpha", 1.0 / 6}, {"beta", 0.5}});
}

void hardsigmoid(Call& call) { call.set(hard_sigmoid(call)); }
void hardswish(Call& call) { call.set(call.emit("Mul", {x_of(call), hard_sigmoid(call)})); }
void silu(Call& call) { call.set(call.emit("Mul", {x_of(call), call.emit("Sigmoid", {x_of(call)})})); }

void mish(Call& call) {
  call.set(call.emit("Mul", {x_of(call), call.emit("Tanh", {call.emit("Softplus", {x_of(call)})})}));
}

void gelu(Call& call) {
  call.set(gelu_of(call, x_of(call), call.has("approximate") && call.text("approximate") == "tanh"));
}

/// Emits log(1 + exp(beta * x)) / beta, and x itself beyond the threshold. From 20 on, the two are equal in float32.
void softplus(Call& call) {
  constexpr double kSame = 20;
  const DType dtype = call.dtype();
  const double beta = call.number("beta"), threshold = call.number("threshold");
  if (beta == 1 && threshold >= kSame && dtype != DType::kFloat64) return call.set(call.emit("Softplus", {x_of(call)}));
  const std::string factor = call.scalar(beta, dtype), scaled = call.emit("Mul", {x_of(call), factor});
  const std::string inside = call.emit("Div", {call.emit("Softplus", {scaled}), factor});
  const std::string beyond = call.emit("Greater", {scaled, call.scalar(threshold, dtype)});
  call.set(call.emit("Where", {beyond, x_of(call), inside}));
}

void log_sigmoid(Call& call) {
  const std::string minus = call.emit("Neg", {x_of(call)});
  call.set(call.emit("Neg", {call.emit("Softplus", {minus})}));
}

/// Replaces numbers in [-lambd, lambd] by 0. NaN stays.
void hardshrink(Call& call) {
  const DType dtype = call.dtype();
  const std::string size = call.emit("Abs", {x_of(call)});
  const std::string inside = call.emit("LessOrEqual", {size, call.scalar(call.number("lambd"), dtype)});
  call.set(call.emit("Where", {inside, call.scalar(0, dtype), x_of(call)}));
}
void softshrink(Call& call) {
  call.set(call.emit("Shrink", {x_of(call)}, {{"lambd", call.number("lambd")}, {"bias", call.number("lambd")}}));
}

void threshold(Call& call) {
  const std::string below = call.emit("LessOrEqual", {x_of(call), call.value("threshold", call.dtype())});
  call.set(call.emit("Where", {below, call.value("value", call.dtype()), x_of(call)}));
}

/// The slope is one number, or one per channel (axis 1).
void prelu(Call& call) {
  const TensorInfo& slope = call.tensor("weight");
  std::string w = call.value("weight", call.dtype());
  const int64_t rank = call.tensor().dim();
  if (slope.numel() > 1 && rank > 2) {
    Integers sizes(size_t(rank - 1), 1);
    sizes[0] = slope.numel();
    w = call.emit("Reshape", {w, call.constant_of(sizes)});
  }
  call.set(call.emit("PRelu", {x_of(call), w}));
}

/// In evaluation mode, the slope is the mean of its bounds.
void rrelu(Call& call) {
  const double slope = (call.number("lower") + call.number("upper")) / 2;
  call.set(call.emit("LeakyRelu", {x_of(call)}, {{"alpha", slope}}));
}

void glu(Call& call) {
  const int64_t half = call.result().size(call.axis());
  const Names parts = call.emit_many("Split", {x_of(call), call.constant_of({half, half})}, {{"axis", call.axis()}}, 2);
  call.set(call.emit("Mul", {parts[0], call.emit("Sigmoid", {parts[1]})}));
}

/// Applies an operator along an axis. A tensor of rank 0 gets an axis first.
Lowering along_axis(const std::string& op_type) {
  return [op_type](Call& call) {
    const std::string none = call.constant_of(Integers{});
    if (call.tensor().dim() > 0) return call.set(call.emit(op_type, {x_of(call)}, {{"axis", call.axis()}}));
    const std::string y = call.emit(op_type, {flattened(call, x_of(call))}, {{"axis", 0}});
    call.set(call.emit("Reshape", {y, none}));
  };
}

}  // namespace

void register_activations(Lowerings& lowerings) {
  lowerings.add("aten::relu", unary("Relu"));
  lowerings.add("aten::relu6", relu6);
  lowerings.add("aten::leaky_relu", leaky_relu);
  lowerings.add("aten::prelu", prelu);
  lowerings.add({"aten::rrelu", "aten::rrelu_with_noise"}, rrelu);
  lowerings.add("aten::elu", elu);
  lowerings.add("aten::celu", celu);
  lowerings.add("aten::selu", selu);
  lowerings.add("aten::clamp", clamp);
  lowerings.add({"aten::clamp.Tensor", "aten::clip.Tensor"}, clamp_tensor);
  lowerings.add("aten::clip", clamp);
  lowerings.add({"aten::clamp_min", "aten::clamp_min.Tensor"}, clamp_min);
  lowerings.add({"aten::clamp_max", "aten::clamp_max.Tensor"}, clamp_max);
  lowerings.add("aten::hardtanh", hardtanh);
  lowerings.add("aten::hardsigmoid", hardsigmoid);
  lowerings.add("aten::hardswish", hardswish);
  lowerings.add("aten::silu", silu);
  lowerings.add("aten::mish", mish);
  lowerings.add("aten::gelu", gelu);
  lowerings.add("aten::softplus", softplus);
  lowerings.add("aten::log_sigmoid", log_sigmoid);
  lowerings.add("aten::hardshrink", hardshrink);
  lowerings.add("aten::softshrink", softshrink);
  lowerings.add("aten::threshold", threshold);
  lowerings.add("aten::glu", glu);
  lowerings.add({"aten::softmax.int", "aten::_softmax", "aten::special_softmax"}, along_axis("Softmax"));
  lowerings.add({"aten::log_softmax.int", "aten::_log_softmax", "aten::special_log_softmax"}, along_axis("LogSoftmax"));
  lowerings.add("aten::sigmoid", unary("Sigmoid"));
  lowerings.add("aten::tanh", unary("Tanh"));
}

}  // namespace linnet::exporter
