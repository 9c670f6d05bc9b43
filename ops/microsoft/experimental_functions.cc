#include "expansion/expanded_op.h"
#include "infer/infer.h"
#include "microsoft/of_dtype.h"
#include "registration.h"

namespace linnet {
namespace {

/// Scale: y = scale * x. ParametricSoftplus: y = alpha * log(1 + exp(beta * x)). These are former experimental
/// operators of ONNX, which ONNX Runtime still supports.
/// - x, y: float16/bfloat16/float/double
/// - scale (1); alpha, beta: required
/// Source: https://github.com/microsoft/onnxruntime/blob/main/onnxruntime/core/graph/contrib_ops/contrib_defs.cc
class ScaledFunction final : public ExpandedOp {
 public:
  explicit ScaledFunction(const NodeSpec& node)
      : ExpandedOp(node, Precision::kFloat32),
        softplus_(node.op_type == "ParametricSoftplus"),
        factor_(softplus_ ? node.attr<float>("alpha") : node.attr_or("scale", 1.f)),
        inner_(softplus_ ? node.attr<float>("beta") : 1.f) {}

 private:
  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 1, 1);
    require_floating(graph.facts()[0], "X");
    const ValueId x = times(graph, graph.in(0), inner_), y = softplus_ ? graph.op("Softplus", {x}) : x;
    return {graph.op("Mul", {y, scalar_like(graph, y, factor_)})};
  }

  bool softplus_;
  float factor_, inner_;
};

/// MeanVarianceNormalization before opset 9: y = (x - mean) / standard deviation, or x - mean if normalize_variance is
/// 0. Mean and deviation are over the batch and the spatial axes, and with across_channels also over the channels.
/// - x, y: float16/bfloat16/float/double [N, C, H, W]
/// - across_channels (0), normalize_variance (1)
/// Source: https://github.com/microsoft/onnxruntime/blob/main/onnxruntime/core/graph/contrib_ops/contrib_defs.cc
class EarlyMeanVarianceNormalization final : public ExpandedOp {
 public:
  explicit EarlyMeanVarianceNormalization(const NodeSpec& node)
      : ExpandedOp(node, Precision::kFloat32),
        across_(node.attr_or("across_channels", false)),
        scales_(node.attr_or("normalize_variance", true)) {}

 private:
  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 1, 1);
    require_floating(graph.facts()[0], "input");
    require_rank(graph.facts()[0], 4, "input");
    const std::vector<int64_t> axes = across_ ? std::vector<int64_t>{0, 1, 2, 3} : std::vector<int64_t>{0, 2, 3};
    const ValueId x = graph.in(0);
    if (scales_) return {graph.op("MeanVarianceNormalization", {x}, {{"axes", axes}})};
    return {graph.op("Sub", {x, graph.op("ReduceMean", {x, graph.ints(axes)})})};
  }

  bool across_, scales_;
};

}  // namespace

LINNET_REGISTER(experimental_functions)(Registry& registry) {
  add_expanded<ScaledFunction>(registry, "Scale", {});
  add_expanded<ScaledFunction>(registry, "ParametricSoftplus", {});
  add_expanded<EarlyMeanVarianceNormalization>(registry, "MeanVarianceNormalization", {});
}

}  // namespace linnet
