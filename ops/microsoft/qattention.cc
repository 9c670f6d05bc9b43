#include "infer/checked_values.h"
#include "infer/infer.h"
#include "microsoft/attention_graph.h"
#include "microsoft/attention_mask.h"
#include "microsoft/integer_product.h"
#include "microsoft/quantized_tensor.h"
#include "registration.h"

namespace linnet {
namespace {

/// QAttention: y = softmax(scale * q * k^T + mask) * v for every head. q, k and v are the thirds of the columns of
/// input * weight + bias, where input and weight are dequantised.
/// - input: int8/uint8 [batch, length, size]; weight: int8/uint8 [size, 3 * hidden]; bias: float32 [3 * hidden]
/// - input_scale, input_zero_point (0): one element
/// - weight_scale, weight_zero_point (0): one element or [3 * hidden]
/// - mask_index: see attention_mask(); mask_filter_value (-10000) is added to the scores of excluded keys
/// - past: float32 [2, batch, heads, past, size of a head], keys and values that precede the new ones
/// - num_heads: required, divides hidden; unidirectional: whether queries see no later keys
/// - scale: default 1 / sqrt(size of a head)
/// - y: float32 [batch, length, hidden]; present: float32 [2, batch, heads, past + length, size of a head]
/// do_rotary and past_present_share_buffer throw Error(kUnsupported).
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QAttention
class QAttention final : public ExpandedOp {
 public:
  explicit QAttention(const NodeSpec& node)
      : ExpandedOp(node),
        heads_(positive_attribute(node, "num_heads")),
        causal_(node.attr_or("unidirectional", 0)),
        scale_(node.attr_or("scale", 0.0f)),
        disallowed_(node.attr_or("mask_filter_value", -10000.0f)),
        outputs_(node.num_outputs) {
    for (const char* name : {"do_rotary", "past_present_share_buffer"}) {
      if (node.attr_or(name, false)) throw Error(ErrorKind::kUnsupported, str(name, " is not supported here"));
    }
  }

 private:
  enum Input { kInput, kWeight, kBias, kInputScale, kWeightScale, kMask, kInputZero, kWeightZero, kPast };

  std::vector<ValueId> expand(Expansion& graph) const override {
    check(graph);
    const ValueId sums =
        integer_product(graph, {graph.in(kInput), graph.in(kWeight), graph.in(kInputScale), graph.in(kWeightScale),
                                graph.in(kInputZero), graph.in(kWeightZero), graph.in(kBias)});
    if (!graph.fact(sums).has_rank()) return {graph.unknown(DType::kFloat32), graph.unknown(DType::kFloat32)};
    const std::vector<ValueId> qkv = graph.op("Split", {sums}, 3, {{"axis", int64_t{2}}, {"num_outputs", int64_t{3}}});
    const AttentionParts parts{.q = qkv[0], .k = qkv[1], .v = qkv[2], .bias = mask(graph)};
    return attend_with_state(graph, parts, graph.in(kPast), heads_, attributes(), outputs_);
  }

  ValueId mask(Expansion& graph) const {
    if (!graph.has(kMask)) return kNoValue;
    const ValueId past = graph.has(kPast) ? graph.dim(graph.in(kPast), 3) : graph.ints({0});
    const ValueId keys = graph.sum(past, graph.dim(graph.in(kInput), 1));
    return attention_mask(graph, {"mask_index", graph.in(kMask), graph.in(kInput), past, keys, disallowed_});
  }

  void check(Expansion& graph) const {
    require_inputs(graph.facts(), 5, 9);
    require_bytes(graph, kInput, "input");
    require_bytes(graph, kWeight, "weight");
    require_rank(graph.facts()[kInput], 3, "input");
    require_rank(graph.facts()[kWeight], 2, "weight");
    check_scale(graph, kInputScale, kInputZero, graph.facts()[kInput].dtype, "input");
    check_scale(graph, kWeightScale, kWeightZero, graph.facts()[kWeight].dtype, "weight", Granularity::kAxis);
    const Dim columns = graph.facts()[kWeight].has_rank() ? graph.facts()[kWeight].dim(1) : Dim();
    if (columns.known() && columns.value() % checked_mul(3, heads_) != 0) {
      throw Error(ErrorKind::kShape, str("the columns of weight must be a multiple of 3 * num_heads, got ", columns));
    }
    if (!graph.has(kPast)) return;
    require_dtype(graph.facts()[kPast], DType::kFloat32, "past");
    require_rank(graph.facts()[kPast], 5, "past");
    if (graph.facts()[kPast].has_rank()) merge_dim(graph.facts()[kPast].dim(0), 2, "past: keys and values");
  }

  Attributes attributes() const {
    Attributes result{{"is_causal", causal_}};
    if (scale_ != 0) result["scale"] = scale_;
    return result;
  }

  int64_t heads_, causal_;
  float scale_, disallowed_;
  int outputs_;
};

}  // namespace

LINNET_REGISTER(qattention)(Registry& registry) {
  add_expanded<QAttention>(registry, "QAttention", {.domain = kMicrosoft});
}

}  // namespace linnet
