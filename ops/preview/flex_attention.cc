#include <cmath>
#include <map>

#include "attention/attention_kernel.h"
#include "controlflow/body.h"
#include "elements/half_precision.h"
#include "infer/dtype_attribute.h"
#include "infer/infer.h"
#include "op_list.h"
#include "run/runner.h"

namespace linnet {
namespace {

constexpr int64_t kOpset = 23;  // of the standard operators in the graphs below

/// Writes the attention with its modifiers as a graph of standard operators.
class AttentionGraph {
 public:
  explicit AttentionGraph(std::shared_ptr<const Registry> registry) : graph_(std::move(registry)) {}

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
  ValueId inline_body(const Graph& body, const std::vector<ValueId>& inputs) {
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
      std::vector<std::string> names;
      for (const ValueId value : node.outputs) names.push_back(value == kNoValue ? "" : fresh());
      const NodeId added = graph_.add_node(node.spec, node_inputs, names);
      for (size_t i = 0; i < names.size(); ++i) {
        if (node.outputs[i] != kNoValue) copies[node.outputs[i]] = graph_.node(added).outputs[i];
      }
    }
    return copy_of(body.outputs()[0].value);
  }

  Graph finish(ValueId y) {
    graph_.add_output("Y", y);
    return std::move(graph_);
  }

 private:
  std::string fresh() { return "flex_attention_" + std::to_string(++count_); }

  Graph graph_;
  int count_ = 0;
};

struct ProgramState final : KernelState {
  ProgramState(const std::shared_ptr<Program>& program, size_t inputs) : runner(program), values(inputs) {}
  Runner runner;
  std::vector<Tensor> values;
};

/// Runs a program of one output on the node's inputs.
class ProgramKernel final : public Kernel {
 public:
  ProgramKernel(std::shared_ptr<Program> program, size_t inputs) : program_(std::move(program)), inputs_(inputs) {}

  void run(KernelContext& context) const override {
    auto& state = static_cast<ProgramState&>(*context.state());
    for (size_t i = 0; i < inputs_; ++i) state.values[i] = context.input(int(i));
    context.set_output(0, state.runner.run(state.values, context.environment())[0]);
  }
  bool provides_outputs() const override { return true; }
  std::unique_ptr<KernelState> make_state() const override { return std::make_unique<ProgramState>(program_, inputs_); }
  std::string describe() const override { return "as a graph with its modifiers"; }

 private:
  std::shared_ptr<Program> program_;
  size_t inputs_;
};

/// FlexAttention: y = prob_mod(softmax(score_mod(scale * q * k^T))) * v for every head of every sample; the modifiers
/// are graphs of one input and one output of equal shape, [batch, q_heads, q_length, kv_length].
/// Q, K, V, Y: float16/bfloat16/float32/float64, [batch, heads, length, size]; the heads of Q are a multiple of those
/// of K and V, which serve consecutive ones.   scale: 1 / sqrt(head size). softmax_precision: float32, or float64 for
/// float64; the dtype that modifiers see, and of all behind the scores. Without modifiers, what is asked for is the
/// least that is done. Rounded once. Source: https://github.com/onnx/onnx/blob/main/onnx/defs/preview/defs.cc
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
    if (heads.known() && kv_heads.known() && (kv_heads == Dim(0) || heads.value() % kv_heads.value() != 0)) {
      throw Error(ErrorKind::kShape,
                  str("the heads of Q must be a multiple of those of K and V, got ", heads, " and ", kv_heads));
    }
    const Fact scores(precision(in[0].dtype), Dims{batch, heads, in[0].dim(2), kv_length});
    for (const GraphPtr& body : {score_mod_, prob_mod_}) check_body(body, scores, in.subspan(3));
    return {Fact(in[0].dtype, Dims{batch, heads, in[0].dim(2), in[2].dim(3)})};
  }

  KernelPtr compile(const CompileInput& in) const override {
    const DType dtype = in.dtype(0);
    const bool plain = !score_mod_ && !prob_mod_;
    if (plain && dtype == DType::kFloat64) return make_attention_f64(rule(in), in);
    if (plain) {
      return compile_in_float32(
          in, [&](const CompileInput& converted) { return make_attention_f32(rule(converted), converted); });
    }
    auto program = std::make_shared<Program>(graph(in), in.resources().shared_from_this());
    return std::make_unique<ProgramKernel>(std::move(program), 3 + captures_);
  }

 private:
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

  /// The heads of Q that share keys become a dim of their own, over which K and V are broadcast.
  Graph graph(const CompileInput& in) const {
    const Shape q = in.shape(0), k = in.shape(1), v = in.shape(2);
    const DType first = in.dtype(0) == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
    const DType softmax = precision(in.dtype(0));
    const int64_t group = q[1] / k[1];
    AttentionGraph g((score_mod_ ? score_mod_ : prob_mod_)->registry());
    std::vector<ValueId> inputs;
    for (int i = 0; i < in.num_inputs(); ++i) inputs.push_back(g.input(in.fact(i)));
    const auto modified = [&](const GraphPtr& body, ValueId x) {
      if (!body) return x;
      std::vector<ValueId> body_inputs{x};
      body_inputs.insert(body_inputs.end(), inputs.begin() + 3, inputs.end());
      return g.inline_body(*body, body_inputs);
    };
    const ValueId factor = g.cast(g.constant(Tensor::scalar(scale(in))), first);
    const ValueId queries = g.op("Mul", {g.cast(inputs[0], first), factor});
    const ValueId keys = g.op("Transpose", {g.cast(inputs[1], first)}, {{"perm", std::vector<int64_t>{0, 1, 3, 2}}});
    ValueId x = g.op(
        "MatMul", {g.reshape(queries, {q[0], k[1], group, q[2], q[3]}), g.reshape(keys, {k[0], k[1], 1, k[3], k[2]})});
    x = g.cast(g.reshape(x, {q[0], q[1], q[2], k[2]}), softmax);
    x = g.op("Softmax", {modified(score_mod_, x)}, {{"axis", int64_t{-1}}});
    x = g.reshape(modified(prob_mod_, x), {q[0], k[1], group, q[2], k[2]});
    x = g.op("MatMul", {x, g.reshape(g.cast(inputs[2], softmax), {v[0], v[1], 1, v[2], v[3]})});
    return g.finish(g.cast(g.reshape(x, {q[0], q[1], q[2], v[3]}), in.dtype(0)));
  }

  GraphPtr score_mod_, prob_mod_;
  std::optional<float> scale_;
  DType precision_;
  size_t captures_;
};

}  // namespace

void register_flex_attention(Registry& registry) {
  registry.add<FlexAttention>("FlexAttention", {.since = 1, .domain = "ai.onnx.preview"});
}

}  // namespace linnet
