#include "preview/flex_attention_graph.h"

#include "expansion/graph_writer.h"

namespace linnet {
namespace {

/// In the products, the heads of Q that share keys are a dim of their own, over which K and V are broadcast.
class FlexAttentionWriter {
 public:
  FlexAttentionWriter(const FlexAttentionRule& rule, std::span<const Fact> inputs)
      : rule_(rule),
        dtype_(inputs[0].dtype),
        q_(inputs[0].shape()),
        k_(inputs[1].shape()),
        v_(inputs[2].shape()),
        graph_((rule.score_mod ? rule.score_mod : rule.prob_mod)->registry(), "flex_attention") {
    for (const Fact& fact : inputs) inputs_.push_back(graph_.input(Fact(fact.dtype, fact.dims)));
  }

  Graph write() {
    const ValueId scores = modified(rule_.score_mod, graph_.cast(products(), rule_.precision));
    const ValueId probabilities = graph_.op("Softmax", {scores}, {{"axis", int64_t{-1}}});
    const ValueId y = weighted_values(modified(rule_.prob_mod, probabilities));
    return graph_.finish({graph_.cast(y, dtype_)});
  }

 private:
  int64_t group() const { return q_[1] / k_[1]; }

  // scale * Q K^T: [batch, q_heads, q_length, kv_length]
  ValueId products() {
    const DType dtype = dtype_ == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
    const ValueId scale = graph_.cast(graph_.constant(Tensor::scalar(rule_.scale)), dtype);
    const ValueId q = graph_.op("Mul", {graph_.cast(inputs_[0], dtype), scale});
    const ValueId k =
        graph_.op("Transpose", {graph_.cast(inputs_[1], dtype)}, {{"perm", std::vector<int64_t>{0, 1, 3, 2}}});
    const ValueId products = graph_.op("MatMul", {graph_.reshape(q, {q_[0], k_[1], group(), q_[2], q_[3]}),
                                                  graph_.reshape(k, {k_[0], k_[1], 1, k_[3], k_[2]})});
    return graph_.reshape(products, {q_[0], q_[1], q_[2], k_[2]});
  }

  // probabilities V: [batch, q_heads, q_length, v_size]
  ValueId weighted_values(ValueId probabilities) {
    const ValueId p = graph_.reshape(probabilities, {q_[0], k_[1], group(), q_[2], k_[2]});
    const ValueId v = graph_.reshape(graph_.cast(inputs_[2], rule_.precision), {v_[0], v_[1], 1, v_[2], v_[3]});
    return graph_.reshape(graph_.op("MatMul", {p, v}), {q_[0], q_[1], q_[2], v_[3]});
  }

  ValueId modified(const GraphPtr& modifier, ValueId x) {
    if (!modifier) return x;
    std::vector<ValueId> inputs{x};
    inputs.insert(inputs.end(), inputs_.begin() + 3, inputs_.end());
    return graph_.inlined(*modifier, inputs);
  }

  const FlexAttentionRule& rule_;
  DType dtype_;
  Shape q_, k_, v_;
  GraphWriter graph_;
  std::vector<ValueId> inputs_;
};

}  // namespace

Graph flex_attention_graph(const FlexAttentionRule& rule, std::span<const Fact> inputs) {
  return FlexAttentionWriter(rule, inputs).write();
}

}  // namespace linnet
