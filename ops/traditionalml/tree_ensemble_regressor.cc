#include "infer/infer.h"
#include "registration.h"
#include "traditionalml/post_transform.h"
#include "traditionalml/tree_kernel.h"

namespace linnet {
namespace {

class TreeEnsembleRegressorKernel final : public TreeKernel {
 public:
  TreeEnsembleRegressorKernel(const CompileInput& in, const TreeModel& model, TreeAggregate aggregate, BaseValues base,
                              PostTransform transform)
      : TreeKernel(in, model, aggregate), base_(std::move(base)), transform_(transform) {}

 private:
  void finish(KernelContext& context, int64_t row, double* scores, const bool*) const override {
    base_.add_to(scores);
    apply(transform_, {scores, size_t(targets())});
    float* y = context.output(0).data<float>() + row * targets();
    for (int64_t t = 0; t < targets(); ++t) y[t] = float(scores[t]);
  }

  BaseValues base_;
  PostTransform transform_;
};

TreeAggregate aggregate_of(const std::string& name) {
  if (name == "AVERAGE") return TreeAggregate::kAverage;
  if (name == "SUM") return TreeAggregate::kSum;
  if (name == "MIN") return TreeAggregate::kMin;
  if (name == "MAX") return TreeAggregate::kMax;
  throw_value("aggregate_function", "'" + name + "'", "AVERAGE, SUM, MIN or MAX");
}

/// TreeEnsembleRegressor: for each target, the aggregate of the weights of the leaves that the trees lead to (AVERAGE
/// divides by the number of trees), plus its base value, then the transform, also for a single target (for which ONNX
/// Runtime applies only PROBIT). The root of a tree is its first node. NaN follows nodes_missing_value_tracks_true.
/// X: float32, float64, int64 or int32 [N, F] or [F]; compared as float32 if both X and the thresholds are float32,
/// else as float64.
/// Y: float32 [N, n_targets]; summed in float64.
/// Source: https://onnx.ai/onnx/operators/onnx_aionnxml_TreeEnsembleRegressor.html
class TreeEnsembleRegressor final : public Op {
 public:
  explicit TreeEnsembleRegressor(const NodeSpec& node)
      : model_(read_trees(node, "target", node.attr_or("n_targets", 1))),
        base_(node, model_.spec().targets),
        aggregate_(aggregate_of(node.attr_or("aggregate_function", "SUM"))),
        transform_(post_transform_of(node)) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_rows(in[0]);
    require_features(in[0], model_.spec());
    return {Fact(DType::kFloat32, Dims{row_dim(in[0]), model_.spec().targets})};
  }

  KernelPtr compile(const CompileInput& in) const override {
    return std::make_unique<TreeEnsembleRegressorKernel>(in, model_, aggregate_, base_, transform_);
  }

 private:
  TreeModel model_;
  BaseValues base_;
  TreeAggregate aggregate_;
  PostTransform transform_;
};

}  // namespace

LINNET_REGISTER(tree_ensemble_regressor)(Registry& registry) {
  registry.add<TreeEnsembleRegressor>("TreeEnsembleRegressor", {.since = 1, .domain = "ai.onnx.ml"});
}

}  // namespace linnet
