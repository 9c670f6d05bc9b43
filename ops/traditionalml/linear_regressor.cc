#include "infer/infer.h"
#include "kernels/kernels_for.h"
#include "kernels/number_unary.h"
#include "registration.h"
#include "traditionalml/linear_model.h"
#include "traditionalml/post_transform.h"

namespace linnet {
namespace {

class LinearRegressorKernel final : public Kernel {
 public:
  LinearRegressorKernel(const CompileInput& in, const LinearModel& model, PostTransform transform)
      : scores_(in, model),
        targets_(model.scores()),
        transform_(transform),
        exp_(kernels_for<NumberUnaryKernels>(in.isa()).doubles.exp) {}

  void run(KernelContext& context) const override {
    float* y = context.output(0).data<float>();
    scores_.for_each(context, [&](int64_t row, int count, double* scores) {
      apply_to_rows(transform_, scores, count, targets_, exp_);
      for (int64_t i = 0; i < count * targets_; ++i) y[row * targets_ + i] = float(scores[i]);
    });
  }

  size_t scratch_bytes() const override { return scores_.scratch_bytes(); }

 private:
  LinearScores scores_;
  int64_t targets_;
  PostTransform transform_;
  NumberFunction exp_;
};

/// LinearRegressor: Y = post_transform(X * coefficients^T + intercepts). Intercepts are 0 if absent. The transform is
/// applied as the specification states, also to a single target, for which ONNX Runtime applies only PROBIT.
/// X: float32, float64, int64 or int32 [N, C] or [C].
/// Y: float32 [N, targets].
/// Computed in float64.
/// Source: https://onnx.ai/onnx/operators/onnx_aionnxml_LinearRegressor.html
class LinearRegressor final : public Op {
 public:
  explicit LinearRegressor(const NodeSpec& node)
      : model_(node, node.attr_or("targets", 1)), transform_(post_transform_of(node)) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    model_.check(in[0]);
    return {Fact(DType::kFloat32, Dims{row_dim(in[0]), model_.scores()})};
  }

  KernelPtr compile(const CompileInput& in) const override {
    return std::make_unique<LinearRegressorKernel>(in, model_, transform_);
  }

 private:
  LinearModel model_;
  PostTransform transform_;
};

}  // namespace

LINNET_REGISTER(linear_regressor)(Registry& registry) {
  registry.add<LinearRegressor>("LinearRegressor", {.since = 1, .domain = "ai.onnx.ml"});
}

}  // namespace linnet
