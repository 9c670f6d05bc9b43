#include <ATen/ATen.h>

#include "building_blocks.h"
#include "rule_list.h"

// Losses. Their reduction is 0 for none, 1 for the mean, 2 for the sum.
// Source: https://pytorch.org/docs/stable/nn.functional.html#loss-functions
namespace linnet::exporter {
namespace {

std::string number(Call& call, double value) { return call.scalar(value, call.dtype()); }

void set_reduced(Call& call, const std::string& loss) {
  const int64_t reduction = call.integer("reduction");
  if (reduction == 0) return call.set(loss);
  call.set(reduce(call, reduction == 1 ? "ReduceMean" : "ReduceSum", flattened(call, loss), {0}, false));
}

std::string difference(Call& call) {
  return call.emit("Sub", {call.value("self", call.dtype()), call.value("target", call.dtype())});
}

void mse(Call& call) {
  const std::string d = difference(call);
  set_reduced(call, call.emit("Mul", {d, d}));
}

void l1(Call& call) { set_reduced(call, call.emit("Abs", {difference(call)})); }

/// d^2 * inside where |d| is below the border, |d| * slope - offset beyond it.
void set_rounded(Call& call, double border, double inside, double slope, double offset) {
  const std::string d = difference(call), size = call.emit("Abs", {d});
  const std::string near = call.emit("Mul", {call.emit("Mul", {d, d}), number(call, inside)});
  const std::string far = call.emit("Sub", {call.emit("Mul", {size, number(call, slope)}), number(call, offset)});
  set_reduced(call, call.emit("Where", {call.emit("Less", {size, number(call, border)}), near, far}));
}

void smooth_l1(Call& call) {
  const double beta = call.number("beta");
  if (beta == 0) return l1(call);
  set_rounded(call, beta, 0.5 / beta, 1, 0.5 * beta);
}

void huber(Call& call) {
  const double delta = call.number("delta");
  set_rounded(call, delta, 0.5, delta, 0.5 * delta * delta);
}

/// target * log(target / exp(self)), where the target may be given as its logarithm.
void kl_div(Call& call) {
  const std::string x = call.value("self", call.dtype()), t = call.value("target", call.dtype());
  if (call.flag("log_target")) {
    return set_reduced(call, call.emit("Mul", {call.emit("Exp", {t}), call.emit("Sub", {t, x})}));
  }
  const std::string zero = number(call, 0);
  const std::string entropy =
      call.emit("Where", {call.emit("Equal", {t, zero}), zero, call.emit("Mul", {t, call.emit("Log", {t})})});
  set_reduced(call, call.emit("Sub", {entropy, call.emit("Mul", {t, x})}));
}

std::string weighted(Call& call, const std::string& loss) {
  return call.has("weight") ? call.emit("Mul", {loss, call.value("weight", call.dtype())}) : loss;
}

/// -(t log(x) + (1 - t) log(1 - x)), the logarithms not below -100.
void binary_cross_entropy(Call& call) {
  const std::string x = call.value("self", call.dtype()), t = call.value("target", call.dtype());
  const std::string one = number(call, 1), least = number(call, -100);
  const auto log = [&](const std::string& y) { return call.emit("Max", {call.emit("Log", {y}), least}); };
  const std::string rest = call.emit("Mul", {call.emit("Sub", {one, t}), log(call.emit("Sub", {one, x}))});
  const std::string sum = call.emit("Add", {call.emit("Mul", {t, log(x)}), rest});
  set_reduced(call, weighted(call, call.emit("Neg", {sum})));
}

/// (1 - t) x + (1 + (p - 1) t) log(1 + exp(-x)), p the weight of positives.
void binary_cross_entropy_with_logits(Call& call) {
  const std::string x = call.value("self", call.dtype()), t = call.value("target", call.dtype());
  const std::string one = number(call, 1);
  std::string cost = call.emit("Softplus", {call.emit("Neg", {x})});
  if (call.has("pos_weight")) {
    const std::string more = call.emit("Sub", {call.value("pos_weight", call.dtype()), one});
    cost = call.emit("Mul", {cost, call.emit("Add", {one, call.emit("Mul", {more, t})})});
  }
  const std::string loss = call.emit("Add", {call.emit("Mul", {call.emit("Sub", {one, t}), x}), cost});
  set_reduced(call, weighted(call, loss));
}

const char* reduction_name(Call& call) {
  constexpr const char* kNames[] = {"none", "mean", "sum"};
  return kNames[call.integer("reduction")];
}

/// A loss by class numbers that ONNX has; one element without a batch gets one.
void set_class_loss(Call& call, const std::string& op_type) {
  const bool single = call.tensor().dim() == 1;
  const auto batched = [&](const std::string& x) { return single ? change_axes(call, "Unsqueeze", x, {0}) : x; };
  const Names inputs{batched(call.value()), batched(call.value("target", at::kLong)), call.optional_value("weight")};
  const Attributes attributes{{"reduction", std::string(reduction_name(call))},
                              {"ignore_index", call.integer("ignore_index")}};
  const std::string y = call.emit(op_type, inputs, attributes);
  const bool unreduced = single && call.integer("reduction") == 0;
  call.set(unreduced ? change_axes(call, "Squeeze", y, {0}) : y);
}

void nll(Call& call) { set_class_loss(call, "NegativeLogLikelihoodLoss"); }

/// The target holds class numbers, or a probability for each class.
void cross_entropy(Call& call) {
  const double smoothing = call.number("label_smoothing");
  const int64_t axis = call.tensor().dim() == 1 ? 0 : 1, classes = call.tensor().size(axis);
  if (!at::isFloatingType(call.tensor("target").scalar_type())) {
    if (smoothing != 0) call.refuse("label smoothing is covered with probabilities as the target alone");
    return set_class_loss(call, "SoftmaxCrossEntropyLoss");
  }
  if (call.has("weight")) call.refuse("weights are covered with class numbers as the target alone");
  std::string target = call.emit("Mul", {call.value("target"), number(call, 1 - smoothing)});
  target = call.emit("Add", {target, number(call, smoothing / double(classes))});
  const std::string logs = call.emit("LogSoftmax", {call.value()}, {{"axis", axis}});
  const std::string product = call.emit("Neg", {call.emit("Mul", {target, logs})});
  set_reduced(call, reduce(call, "ReduceSum", product, {axis}, false));
}

/// The largest of 0 and x.
std::string positive(Call& call, const std::string& x) { return call.emit("Max", {x, number(call, 0)}); }

void margin_ranking(Call& call) {
  const at::ScalarType dtype = call.dtype();
  const std::string d = call.emit("Sub", {call.value("input2", dtype), call.value("input1", dtype)});
  const std::string product = call.emit("Mul", {d, call.value("target", dtype)});
  set_reduced(call, positive(call, call.emit("Add", {product, number(call, call.number("margin"))})));
}

/// x for target 1, max(0, margin - x) for target -1.
void hinge_embedding(Call& call) {
  const std::string x = call.value("self", call.dtype()), t = call.value("target", call.dtype());
  const std::string rest = positive(call, call.emit("Sub", {number(call, call.number("margin")), x}));
  set_reduced(call, call.emit("Where", {call.emit("Greater", {t, number(call, 0)}), x, rest}));
}

/// log(1 + exp(-t x)).
void soft_margin(Call& call) {
  const std::string product = call.emit("Mul", {call.value("self", call.dtype()), call.value("target", call.dtype())});
  set_reduced(call, call.emit("Softplus", {call.emit("Neg", {product})}));
}

/// max(0, d(anchor, positive) - d(anchor, negative) + margin).
void triplet_margin(Call& call) {
  const at::ScalarType dtype = call.dtype();
  const auto distance = [&](const std::string& a, const std::string& b) {
    const std::string d = call.emit("Sub", {call.value(a, dtype), call.value(b, dtype)});
    return p_norm(call, call.emit("Add", {d, number(call, call.number("eps"))}), call.number("p"), {-1}, false);
  };
  std::string far = distance("anchor", "negative");
  if (call.flag("swap")) far = call.emit("Min", {far, distance("positive", "negative")});
  const std::string d = call.emit("Sub", {distance("anchor", "positive"), far});
  set_reduced(call, positive(call, call.emit("Add", {d, number(call, call.number("margin"))})));
}

}  // namespace

void register_losses(Lowerings& lowerings) {
  lowerings.add("aten::mse_loss", mse);
  lowerings.add("aten::l1_loss", l1);
  lowerings.add("aten::smooth_l1_loss", smooth_l1);
  lowerings.add("aten::huber_loss", huber);
  lowerings.add("aten::kl_div", kl_div);
  lowerings.add("aten::binary_cross_entropy", binary_cross_entropy);
  lowerings.add("aten::binary_cross_entropy_with_logits", binary_cross_entropy_with_logits);
  lowerings.add({"aten::nll_loss", "aten::nll_loss2d", "aten::nll_loss_nd"}, nll);
  lowerings.add("aten::cross_entropy_loss", cross_entropy);
  lowerings.add("aten::margin_ranking_loss", margin_ranking);
  lowerings.add("aten::hinge_embedding_loss", hinge_embedding);
  lowerings.add("aten::soft_margin_loss", soft_margin);
  lowerings.add("aten::triplet_margin_loss", triplet_margin);
}

}  // namespace linnet::exporter
