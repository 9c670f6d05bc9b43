#include "registration.h"
#include "training/optimizer.h"

namespace linnet {
namespace {

/// Momentum: with g = G + norm_coefficient X, V = alpha V + beta g (V = alpha V + g for T = 0). Then X -= R V, or X -=
/// R (g + alpha V) with mode nesterov.
/// Source: https://onnx.ai/onnx/operators/onnx_aionnxpreviewtraining_Momentum.html
class MomentumRule {
 public:
  static constexpr int kStates = 1;

  explicit MomentumRule(const NodeSpec& node)
      : alpha_(node.attr<float>("alpha")),
        beta_(node.attr<float>("beta")),
        norm_(node.attr<float>("norm_coefficient")) {
    const auto& mode = node.attr<std::string>("mode");
    if (mode != "standard" && mode != "nesterov") {
      throw Error(ErrorKind::kModel, str("mode must be standard or nesterov, got ", mode));
    }
    nesterov_ = mode == "nesterov";
  }

  auto step(double r, double t) const {
    return [r, beta = t > 0 ? beta_ : 1.0, this](OptimizerElement& e) {
      double& v = e.states[0];
      const double g = e.gradient + norm_ * e.x;
      v = alpha_ * v + beta * g;
      e.x -= r * (nesterov_ ? g + alpha_ * v : v);
    };
  }

 private:
  double alpha_, beta_, norm_;
  bool nesterov_;
};

}  // namespace

LINNET_REGISTER(momentum)(Registry& registry) {
  registry.add<Optimizer<MomentumRule>>("Momentum", {.since = 1, .domain = "ai.onnx.preview.training"});
}

}  // namespace linnet
