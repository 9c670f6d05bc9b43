#include "preview/flex_attention_graph.h"

#include <map>

namespace linnet {
namespace {

constexpr int64_t kOpset = 23;  // of the operators in the graph

/// Adds operators of one output to a graph.
class GraphWriter {
 public:
  explicit GraphWriter(std::shared_ptr<const Registry> registry) : graph_(std::move(registry)) {}

  ValueId input(const Fact& fact) { return graph_.add_input(fresh(), Fact(fact.dtype, fact.dims)); }
  ValueId constant(const Tensor& value) { return graph_.add_constant(fresh(), value); }
  ValueId op(const std::string& op_type, const std::vector<ValueId>& inputs, const Attributes& attributes = {}) {
    NodeSpec spec;
    spec.op_type = op_type;
    spec.opset = kOpset;
    spec.attributes = attributes;
    return graph_.node(graph_.add_node(spec, inputs, {fresh()})).outputs[0];
  }
  ValueId cast(ValueId x, DType dtype) { return op("Cast", {x}, {{"to", int64_t(dtype)}}); }
  ValueId reshape(ValueId x, const std::vector<int64_t>& shape) {
    return op("Reshape", {x, constant(Tensor::of<int64_t>({int64_t(shape.size())}, shape))},
              {{"allowzero", int64_t{1}}});
  }

  /// Adds the nodes of a body; gives its only output.
  ValueId inlined(const Graph& body, const std::vector<ValueId>& inputs) {
    std::map<ValueId, ValueId> copies{{kNoValue, kNoValue}};
    for (size_t i = 0; i < inputs.size(); ++i) copies[body.inputs()[i]] = inputs[i];
    const auto copy_of = [&](ValueId value) {
      const auto [found, is_new] = copies.try_emplace(value, kNoValue);
      if (is_new) found->second = constant(body.fact(value).constant);
      return found->second;
    };
    for (const NodeId id : body.nodes()) {
      const Node& node = body.node(id);
      std::vector<ValueId> node_inputs;
      for (const ValueId value : node.inputs) node_inputs.push_back(copy_of(value));
      const std::vector<ValueId> outputs = add_copy(node, node_inputs);
      for (size_t i = 0; i < outputs.size(); ++i) {
        if (node.outputs[i] != kNoValue) copies[node.outputs[i]] = outputs[i];
      }
    }
    return copy_of(body.outputs()[0].value);
  }

  Graph finish(ValueId y) {
    graph_.add_output("Y", y);
    return std::move(graph_);
  }

 private:
  std::vector<ValueId> add_copy(const Node& node, const std::vector<ValueId>& inputs) {
    std::vector<std::string> names;
    for (const ValueId value : node.outputs) names.push_back(value == kNoValue ? "" : fresh());
    return graph_.node(graph_.add_node(node.spec, inputs, names)).outputs;
  }

  std::string fresh() { return "flex_attention_" + std::to_string(++count_); }

  Graph graph_;
  int count_ = 0;
};

/// In the products, the heads of Q that share keys are a dim of their own, over which K and V are broadcast.
class FlexAttentionWriter {
 public:
  FlexAttentionWriter(const FlexAttentionRule& rule, std::span<const Fact> inputs)
      : rule_(rule),
        dtype_(inputs[0].dtype),
        q_(inputs[0].shape()),
        k_(inputs[1].shape()),
        v_(inputs[2].shape()),
        graph_((rule.score_mod ? rule.score_mod : rule.prob_mod)->registry()) {
    for (const Fact& fact : inputs) inputs_.push_back(graph_.input(fact));
  }

  Graph write() {
    const ValueId scores = modified(rule_.score_mod, graph_.cast(products(), rule_.precision));
    const ValueId probabilities = graph_.op("Softmax", {scores}, {{"axis", int64_t{-1}}});
    const ValueId y = weighted_values(modified(rule_.prob_mod, probabilities));
    return graph_.finish(graph_.cast(y, dtype_));
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
