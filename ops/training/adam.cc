#include "registration.h"
#include "training/optimizer.h"

namespace linnet {
namespace {

/// Adam: with g = G + norm_coefficient X,
/// V = alpha V + (1 - alpha) g, H = beta H + (1 - beta) g^2,
/// X = (1 - norm_coefficient_post) (X - r V / (sqrt(H) + epsilon)),
/// where r = R sqrt(1 - beta^T) / (1 - alpha^T), or R for T = 0.
/// Source: https://onnx.ai/onnx/operators/onnx_aionnxpreviewtraining_Adam.html
class AdamRule {
 public:
  static constexpr int kStates = 2;

  explicit AdamRule(const NodeSpec& node)
      : alpha_(node.attr_or("alpha", 0.9f)),
        beta_(node.attr_or("beta", 0.999f)),
        norm_(node.attr_or("norm_coefficient", 0.0f)),
        norm_post_(node.attr_or("norm_coefficient_post", 0.0f)),
        epsilon_(node.attr_or("epsilon", 1e-6f)) {}

  auto step(double r, double t) const {
    const double rate = t > 0 ? r * std::sqrt(1 - std::pow(beta_, t)) / (1 - std::pow(alpha_, t)) : r;
    return [rate, this](OptimizerElement& e) {
      auto& [v, h] = e.states;
      const double g = e.gradient + norm_ * e.x;
      v = alpha_ * v + (1 - alpha_) * g;
      h = beta_ * h + (1 - beta_) * g * g;
      e.x = (1 - norm_post_) * (e.x - rate * v / (std::sqrt(h) + epsilon_));
    };
  }

 private:
  double alpha_, beta_, norm_, norm_post_, epsilon_;
};

}  // namespace

LINNET_REGISTER(adam)(Registry& registry) {
  registry.add<Optimizer<AdamRule>>("Adam", {.since = 1, .domain = "ai.onnx.preview.training"});
}

}  // namespace linnet
