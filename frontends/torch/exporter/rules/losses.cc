#include <algorithm>

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

/// Emits d^2 * inside where |d| is below the border, else |d| * slope - offset.
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

/// Emits target * log(target / exp(self)). The target may be given as its logarithm.
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

/// Emits -(t log(x) + (1 - t) log(1 - x)) with logarithms clamped to at least -100.
void binary_cross_entropy(Call& call) {
  const std::string x = call.value("self", call.dtype()), t = call.value("target", call.dtype());
  const std::string one = number(call, 1), least = number(call, -100);
  const auto log = [&](const std::string& y) { return call.emit("Max", {call.emit("Log", {y}), least}); };
  const std::string rest = call.emit("Mul", {call.emit("Sub", {one, t}), log(call.emit("Sub", {one, x}))});
  const std::string sum = call.emit("Add", {call.emit("Mul", {t, log(x)}), rest});
  set_reduced(call, weighted(call, call.emit("Neg", {sum})));
}

/// Emits (1 - t) x + (1 + (p - 1) t) log(1 + exp(-x)), where p is the weight of positives.
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

std::string reduction_name(Call& call) {
  const Names names{"none", "mean", "sum"};
  return names[size_t(call.integer("reduction"))];
}

/// Returns the scores, the class numbers and the weights of a loss. A single element gets a batch axis.
Names class_inputs(Call& call) {
  const bool single = call.tensor().dim() == 1;
  const auto batched = [&](const std::string& x) { return single ? change_axes(call, "Unsqueeze", x, {0}) : x; };
  return {batched(call.value()), batched(call.value("target", DType::kInt64)), call.optional_value("weight")};
}

/// Returns a loss by class numbers that ONNX has as an operator.
std::string class_loss(Call& call, const std::string& op_type, const Names& inputs) {
  return call.emit(op_type, inputs,
                   {{"reduction", reduction_name(call)}, {"ignore_index", call.integer("ignore_index")}});
}

void set_class_loss(Call& call, const std::string& y) {
  const bool unreduced = call.tensor().dim() == 1 && call.integer("reduction") == 0;
  call.set(unreduced ? change_axes(call, "Squeeze", y, {0}) : y);
}

void nll(Call& call) { set_class_loss(call, class_loss(call, "NegativeLogLikelihoodLoss", class_inputs(call))); }

/// Returns the weights of classes, broadcast along axis 1 of `rank` axes.
std::string weights_along(Call& call, int64_t rank) {
  Integers behind;
  for (int64_t axis = 1; axis + 1 < rank; ++axis) behind.push_back(axis);
  const std::string weight = call.value("weight", call.dtype());
  return behind.empty() ? weight : change_axes(call, "Unsqueeze", weight, behind);
}

/// Returns the loss of a target that contains every class equally: the sum over the classes, reduced.
std::string loss_of_all_classes(Call& call, const std::string& logs, const std::string& target) {
  const std::string ignored =
      call.emit("Equal", {target, call.scalar(double(call.integer("ignore_index")), DType::kInt64)});
  std::string each = logs, share = number(call, 1);
  if (call.has("weight")) {
    each = call.emit("Mul", {logs, weights_along(call, std::max<int64_t>(call.tensor().dim(), 2))});
    const std::string known = call.emit("Where", {ignored, call.scalar(0, DType::kInt64), target});
    share = call.emit("Gather", {call.value("weight", call.dtype()), known});
  }
  const auto kept = [&](const std::string& x) { return call.emit("Where", {ignored, number(call, 0), x}); };
  const auto sum = [&](const std::string& x) { return reduce(call, "ReduceSum", flattened(call, x), {0}, false); };
  const std::string loss = kept(call.emit("Neg", {reduce(call, "ReduceSum", each, {1}, false)}));
  if (call.integer("reduction") == 0) return loss;
  return call.integer("reduction") == 2 ? sum(loss) : call.emit("Div", {sum(loss), sum(kept(share))});
}

/// Distributes the share `smoothing` of the target over all classes.
void smoothed_by_class(Call& call, double smoothing, int64_t classes) {
  const Names in = class_inputs(call);
  const std::string logs = call.emit("LogSoftmax", {in[0]}, {{"axis", int64_t(1)}});
  const std::string loss = class_loss(call, "NegativeLogLikelihoodLoss", {logs, in[1], in[2]});
  const std::string all = loss_of_all_classes(call, logs, in[1]);
  set_class_loss(call, call.emit("Add", {call.emit("Mul", {loss, number(call, 1 - smoothing)}),
                                         call.emit("Mul", {all, number(call, smoothing / double(classes))})}));
}

/// The target contains class numbers, or a probability for each class.
void cross_entropy(Call& call) {
  const double smoothing = call.number("label_smoothing");
  const int64_t axis = call.tensor().dim() == 1 ? 0 : 1, classes = call.tensor().size(axis);
  if (!is_floating(call.tensor("target").dtype)) {
    if (smoothing != 0) return smoothed_by_class(call, smoothing, classes);
    return set_class_loss(call, class_loss(call, "SoftmaxCrossEntropyLoss", class_inputs(call)));
  }
  std::string target = call.emit("Mul", {call.value("target"), number(call, 1 - smoothing)});
  target = call.emit("Add", {target, number(call, smoothing / double(classes))});
  if (call.has("weight")) target = call.emit("Mul", {target, weights_along(call, call.tensor().dim())});
  const std::string logs = call.emit("LogSoftmax", {call.value()}, {{"axis", axis}});
  const std::string product = call.emit("Neg", {call.emit("Mul", {target, logs})});
  set_reduced(call, reduce(call, "ReduceSum", product, {axis}, false));
}

/// Returns max(0, x).
std::string positive(Call& call, const std::string& x) { return call.emit("Max", {x, number(call, 0)}); }

void margin_ranking(Call& call) {
  const DType dtype = call.dtype();
  const std::string d = call.emit("Sub", {call.value("input2", dtype), call.value("input1", dtype)});
  const std::string product = call.emit("Mul", {d, call.value("target", dtype)});
  set_reduced(call, positive(call, call.emit("Add", {product, number(call, call.number("margin"))})));
}

/// Emits x for target 1, max(0, margin - x) for target -1.
void hinge_embedding(Call& call) {
  const std::string x = call.value("self", call.dtype()), t = call.value("target", call.dtype());
  const std::string rest = positive(call, call.emit("Sub", {number(call, call.number("margin")), x}));
  set_reduced(call, call.emit("Where", {call.emit("Greater", {t, number(call, 0)}), x, rest}));
}

/// Emits log(1 + exp(-t x)).
void soft_margin(Call& call) {
  const std::string product = call.emit("Mul", {call.value("self", call.dtype()), call.value("target", call.dtype())});
  set_reduced(call, call.emit("Softplus", {call.emit("Neg", {product})}));
}

/// Emits max(0, d(anchor, positive) - d(anchor, negative) + margin).
void triplet_margin(Call& call) {
  const DType dtype = call.dtype();
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
