#pragma once

#include <optional>
#include <string>

#include "expansion/expanded_op.h"

namespace linnet {

/// The base of MoE and QMoE. For every token x, y is the sum, over the k experts e with the largest router_probs, of
/// share[e] * (fc2[e] * h(x) + its bias). h(x) is activation(fc1[e] * x + its bias), times fc3[e] * x + its bias if fc3
/// is given.
/// - activation_type: relu, gelu (with tanh), silu, identity or swiglu
/// - swiglu: g * sigmoid(activation_alpha * g) * (l + activation_beta). If swiglu_limit is given, g is at most
///   swiglu_limit, and l within -swiglu_limit and swiglu_limit.
/// - swiglu_fusion: g and l are the products of fc1 and fc3 (0), alternate elements of fc1's (1), or halves of fc1's
///   (2)
/// use_sparse_mixer and swiglu_limit_after_activation throw Error(kUnsupported).
class MixtureOfExperts : public ExpandedOp {
 protected:
  enum class Layer { kFc1, kFc2, kFc3 };

  static constexpr size_t kInput = 0, kRouter = 1;

  explicit MixtureOfExperts(const NodeSpec& node);

  /// The input with the weights of a layer.
  virtual size_t weights(Layer layer) const = 0;
  /// Checks the inputs.
  virtual void check(Expansion& graph) const = 0;
  /// The dtype to compute in for inputs of this dtype.
  virtual DType wide(DType dtype) const = 0;
  /// [tokens * k, columns]: row i is the product of x[i / k], or of x[i], by the layer of experts[i].
  virtual ValueId product(Expansion& graph, ValueId x, ValueId experts, Layer layer) const = 0;
  /// The shares [tokens, k] of the chosen experts, int64 [tokens, k], with these probabilities.
  virtual ValueId shares(Expansion& graph, ValueId probabilities, ValueId experts) const = 0;

  /// Checks ranks of input, router_probs and weights, that they fit together, and that each layer is given exactly if
  /// it must be.
  void check_layers(const Expansion& graph) const;
  bool normalizes() const { return normalizes_; }
  /// Divides rows by their sums.
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
