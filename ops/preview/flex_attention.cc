#include <cmath>
#include <numeric>
#include <span>

#include "attention/attention_kernel.h"
#include "compile/compile_input.h"
#include "controlflow/body.h"
#include "controlflow/program_kernel.h"
#include "expansion/graph_writer.h"
#include "infer/dtype_attribute.h"
#include "infer/infer.h"
#include "registration.h"

namespace linnet {
namespace {

/// The computation of a FlexAttention with modifiers.
struct FlexAttentionRule {
  GraphPtr score_mod, prob_mod;       ///< nullptr if absent.
  double scale = 1;                   ///< The scale of the products of queries and keys.
  DType precision = DType::kFloat32;  ///< The dtype of the scores, the probabilities and everything computed from them.
};

/// Writes the graph. In the products, the heads of Q that share keys are a separate dim, over which K and V are
/// broadcast.
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

/// Returns the attention as a graph of standard operators with the modifiers inlined. Its inputs are those of the node,
/// with concrete facts: Q, K, V and what the modifiers capture. Its output is Y.
Graph flex_attention_graph(const FlexAttentionRule& rule, std::span<const Fact> inputs) {
  return FlexAttentionWriter(rule, inputs).write();
}

/// FlexAttention: y = prob_mod(softmax(score_mod(scale * q * k^T))) * v for every head of every sample. The modifiers
/// are graphs of one input and one output of equal shape, [batch, q_heads, q_length, kv_length].
/// Q, K, V, Y: float16/bfloat16/float32/float64, [batch, heads, length, size]. The number of heads of Q is a multiple
/// of that of K and V; each head of K and V serves consecutive heads of Q.
/// scale: 1 / sqrt(head size).
/// softmax_precision: float32, or float64 for float64. It is the dtype of the scores that modifiers read and of
/// everything computed from them. Without modifiers, the precision is at least the requested one. The result is rounded
/// once.
/// Source: https://github.com/onnx/onnx/blob/main/onnx/defs/preview/defs.cc
class FlexAttention final : public Op {
 public:
  explicit FlexAttention(const NodeSpec& node)
      : score_mod_(body_of(node, "score_mod")),
        prob_mod_(body_of(node, "prob_mod")),
        precision_(dtype_attribute(node, "softmax_precision")),
        captures_(size_t(node.captures)) {
    if (const float* scale = node.find<float>("scale")) scale_ = *scale;
    if (precision_ != DType::kUndefined && precision_ != DType::kFloat32 && precision_ != DType::kFloat64 &&
        precision_ != DType::kFloat16 && precision_ != DType::kBFloat16) {
      throw Error(ErrorKind::kModel, str("softmax_precision must be a floating-point type, got ", int(precision_)));
    }
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 3, 3 + int(captures_));
    require_floating(in[0], "Q");
    for (const size_t i : {size_t{1}, size_t{2}}) require_same_dtype(in[0], in[i], "Q, K and V");
    for (const Fact& fact : in.first(3)) require_rank(fact, 4, "Q, K and V");
    if (!in[0].has_rank() || !in[1].has_rank() || !in[2].has_rank()) return {Fact(in[0].dtype, std::nullopt)};
    const Dim batch = merged(in, 0, 1, 0, "the batch of Q and K"), heads = in[0].dim(1);
    merged(in, 0, 2, 0, "the batch of Q and V");
    merged(in, 0, 1, 3, "the head size of Q and K");
    const Dim kv_heads = merged(in, 1, 2, 1, "the heads of K and V");
    const Dim kv_length = merged(in, 1, 2, 2, "the length of K and V");
    if (heads.known() && kv_heads.known() && (kv_heads.value() == 0 || heads.value() % kv_heads.value() != 0)) {
      throw Error(ErrorKind::kShape,
                  str("the heads of Q must be a multiple of those of K and V, got ", heads, " and ", kv_heads));
    }
    const Fact scores(precision(in[0].dtype), Dims{batch, heads, in[0].dim(2), kv_length});
    for (const GraphPtr& body : {score_mod_, prob_mod_}) check_body(body, scores, in.subspan(3));
    return {Fact(in[0].dtype, Dims{batch, heads, in[0].dim(2), in[2].dim(3)})};
  }

  KernelPtr compile(const CompileInput& in) const override {
    if (score_mod_ || prob_mod_) return compile_modified(in);
    return in.dtype(0) == DType::kFloat64 ? make_attention_f64(rule(in), in) : make_attention_f32(rule(in), in);
  }

 private:
  KernelPtr compile_modified(const CompileInput& in) const {
    std::vector<Fact> inputs;
    for (int i = 0; i < in.num_inputs(); ++i) inputs.push_back(in.fact(i));
    Graph graph = flex_attention_graph({score_mod_, prob_mod_, scale(in), precision(in.dtype(0))}, inputs);
    auto program = std::make_shared<Program>(std::move(graph), model_resources(in).shared_from_this());
    std::vector<int> positions(inputs.size());
    std::iota(positions.begin(), positions.end(), 0);
    return make_program_kernel(std::move(program), std::move(positions), {0});
  }

  static GraphPtr body_of(const NodeSpec& node, const std::string& name) {
    const auto* body = node.find<GraphPtr>(name);
    if (!body) return nullptr;
    require_body(**body, 1 + size_t(node.captures), 1, name.c_str());
    return *body;
  }

  static Dim merged(std::span<const Fact> in, size_t a, size_t b, int dim, const std::string& what) {
    return merge_dim(in[a].dim(dim), in[b].dim(dim), what);
  }

  DType precision(DType dtype) const {
    if (precision_ != DType::kUndefined) return precision_;
    return dtype == DType::kFloat64 ? dtype : DType::kFloat32;
  }

  static void check_body(const GraphPtr& body, const Fact& scores, std::span<const Fact> captured) {
    if (!body) return;
    std::vector<Fact> inputs{scores};
    inputs.insert(inputs.end(), captured.begin(), captured.end());
    const Fact output = body_facts(*body, inputs)[0];
    if (!compatible(scores, output)) {
      throw Error(ErrorKind::kShape, str("a modifier must give what it gets, ", scores, ", gives ", output));
    }
  }

  AttentionRule rule(const CompileInput& in) const {
    const Shape q = in.shape(0), k = in.shape(1);
    AttentionRule rule;
    rule.sizes = {q[0], q[1], k[1], q[2], k[2], 0, q[3], in.shape(2)[3], false};
    rule.scale = scale(in);
    rule.double_softmax = precision(in.dtype(0)) == DType::kFloat64;
    return rule;
  }

  double scale(const CompileInput& in) const {
    return scale_ ? double(*scale_) : 1 / std::sqrt(double(in.shape(0)[3]));
  }

  GraphPtr score_mod_, prob_mod_;
  std::optional<float> scale_;
  DType precision_;
  size_t captures_;
};

}  // namespace

LINNET_REGISTER(flex_attention)(Registry& registry) {
  registry.add<FlexAttention>("FlexAttention", {.since = 1, .domain = "ai.onnx.preview"});
}

}  // namespace linnet
