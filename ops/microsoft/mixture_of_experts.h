#pragma once

#include <optional>
#include <string>

#include "expansion/expanded_op.h"

namespace linnet {

/// What MoE and QMoE share: y = sum over the k experts e with the greatest router_probs of share[e] * (fc2[e] * h(x) +
/// its bias), for every token x, with h(x) = activation(fc1[e] * x + its bias), times fc3[e] * x + its bias where fc3
/// is given.
/// activation_type: relu, gelu (with tanh), silu, identity; swiglu: g * sigmoid(activation_alpha * g) * (l +
/// activation_beta), g at most swiglu_limit and l within -swiglu_limit and swiglu_limit, where it is given; g and l are
/// fc1's and fc3's products (swiglu_fusion 0), fc1's by turns (1), or the halves of fc1's (2).
/// Refused: use_sparse_mixer, swiglu_limit_after_activation.
class MixtureOfExperts : public ExpandedOp {
 protected:
  enum class Layer { kFc1, kFc2, kFc3 };

  static constexpr size_t kInput = 0, kRouter = 1;

  explicit MixtureOfExperts(const NodeSpec& node);

  /// The input that the weights of a layer are.
  virtual size_t weights(Layer layer) const = 0;
  /// Checks the inputs.
  virtual void check(Expansion& graph) const = 0;
  /// The dtype to compute in, for inputs of this one.
  virtual DType wide(DType dtype) const = 0;
  /// [tokens * k, columns]: what row x[i / k], or x[i], becomes by the layer of experts[i].
  virtual ValueId product(Expansion& graph, ValueId x, ValueId experts, Layer layer) const = 0;
  /// The shares [tokens, k] of the chosen experts, int64 [tokens, k], whose probabilities these are.
  virtual ValueId shares(Expansion& graph, ValueId probabilities, ValueId experts) const = 0;

  /// Checks ranks of input, router_probs and weights, that they fit, and that layers are given or not as they must be.
  void check_layers(const Expansion& graph) const;
  bool normalizes() const { return normalizes_; }
  /// Rows divided by their sums.
  static ValueId normalized(Expansion& graph, ValueId rows);

 private:
  std::vector<ValueId> expand(Expansion& graph) const final;
  ValueId activated(Expansion& graph, ValueId h, ValueId gate) const;
  ValueId swiglu(Expansion& graph, ValueId g, ValueId l) const;

  std::string activation_;
  int64_t k_, fusion_;
  bool normalizes_;
  float alpha_, beta_;
  std::optional<float> limit_;
};

}  // namespace linnet
