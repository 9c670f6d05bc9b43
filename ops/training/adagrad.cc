#include "registration.h"
#include "training/optimizer.h"

namespace linnet {
namespace {

/// Adagrad: with g = G + norm_coefficient X, H += g^2 and X -= R / (1 + T decay_factor) g / (sqrt(H) + epsilon).
/// Source: https://onnx.ai/onnx/operators/onnx_aionnxpreviewtraining_Adagrad.html
class AdagradRule {
 public:
  static constexpr int kStates = 1;

  explicit AdagradRule(const NodeSpec& node)
      : norm_(node.attr_or("norm_coefficient", 0.0f)),
        decay_(node.attr_or("decay_factor", 0.0f)),
        epsilon_(node.attr_or("epsilon", 1e-6f)) {}

  auto step(double r, double t) const {
    return [rate = r / (1 + t * decay_), this](OptimizerElement& e) {
      const double g = e.gradient + norm_ * e.x;
      e.states[0] += g * g;
      e.x -= rate * g / (std::sqrt(e.states[0]) + epsilon_);
    };
  }

 private:
  double norm_, decay_, epsilon_;
};

}  // namespace

LINNET_REGISTER(adagrad)(Registry& registry) {
  registry.add<Optimizer<AdagradRule>>("Adagrad", {.since = 1, .domain = "ai.onnx.preview.training"});
}

}  // namespace linnet
