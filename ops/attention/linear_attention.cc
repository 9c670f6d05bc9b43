#include <algorithm>
#include <array>
#include <cmath>

#include "infer/infer.h"
#include "kernels/attention.h"
#include "kernels/kernels_for.h"
#include "kernels/unary.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "partition/parts.h"
#include "registration.h"

namespace linnet {
namespace {

constexpr std::array kLinearAttentionTypes{DType::kFloat32, DType::kFloat16, DType::kBFloat16};
constexpr int kQuery = 0, kKey = 1, kValue = 2, kPastState = 3, kDecay = 4, kBeta = 5;
constexpr int64_t kBlock = 64;  // columns of the state in a chunk of work; they are independent

struct Recurrence {
  int64_t batch, length, q_heads, kv_heads, k_size, v_size;
  int64_t decay_size;  ///< number of values of a head: k_size, 1, or 0 without decay
  int64_t beta_heads;  ///< kv_heads, 1, or 0 without beta
  float scale;
  bool has_state;

  int64_t group() const { return q_heads / kv_heads; }
};

/// Scratch: the block of the state, the decay, and the product of the key and the state's block.
class LinearAttentionKernel final : public Kernel {
 public:
  LinearAttentionKernel(const Recurrence& r, Isa isa)
      : r_(r), attention_(kernels_for<AttentionKernels>(isa)), unary_(kernels_for<UnaryKernels>(isa)) {}

  void run(KernelContext& context) const override {
    const int64_t blocks = ceil_div(r_.v_size, kBlock);
    const int64_t elements = r_.length * r_.k_size * std::min(kBlock, r_.v_size);
    parallel_items(
        context.executor(), checked_mul(checked_mul(r_.batch, r_.kv_heads), blocks), elements,
        [&](int64_t item, int64_t end, int worker) {
          auto* scratch = reinterpret_cast<float*>(context.scratch(worker));
          for (; item < end; ++item) {
            const int64_t head = item / blocks, column = item % blocks * kBlock;
            const Block block{head / r_.kv_heads, head % r_.kv_heads, column, std::min(kBlock, r_.v_size - column)};
            run_block(context, block, scratch);
          }
        });
  }
  size_t scratch_bytes() const override {
    return dtype_bytes(DType::kFloat32, checked_add(checked_mul(r_.k_size, kBlock + 1), kBlock));
  }

 private:
  static constexpr int64_t kStepWork = 64, kMultipliesPerNanosecond = 4;

  struct Block {
    int64_t b, head, column, width;
  };
  struct Buffers {
    float *state, *decay, *recalled;
  };

  void run_block(KernelContext& context, const Block& block, float* scratch) const {
    float* decay = scratch + r_.k_size * kBlock;
    const Buffers buffers{scratch, decay, decay + r_.k_size};
    load_state(context, block, scratch);
    Checkpoints checkpoints;
    const int64_t multiplies = checked_mul(checked_mul(r_.k_size, block.width), 2 + r_.group());
    const int64_t step_work = kStepWork + multiplies / kMultipliesPerNanosecond;
    for (int64_t t = 0; t < r_.length; ++t) {
      step(context, block, block.b * r_.length + t, buffers);
      checkpoints.add(step_work);
    }
    for (int64_t d = 0; r_.has_state && d < r_.k_size; ++d) {
      std::copy_n(scratch + d * kBlock, block.width, context.output(1).data<float>() + state_at(block, d));
    }
  }

  std::ptrdiff_t state_at(const Block& block, int64_t d) const {
    return ((block.b * r_.kv_heads + block.head) * r_.k_size + d) * r_.v_size + block.column;
  }

  void load_state(KernelContext& context, const Block& block, float* state) const {
    const Tensor& past = context.input(kPastState);
    for (int64_t d = 0; d < r_.k_size; ++d, state += kBlock) {
      if (!past) {
        std::fill(state, state + block.width, 0.0f);
        continue;
      }
      std::copy_n(past.data<float>() + state_at(block, d), block.width, state);
    }
  }

  /// Processes one token: the state decays, is corrected by the value, and answers the queries.
  void step(KernelContext& context, const Block& block, int64_t token, const Buffers& buffers) const {
    const std::ptrdiff_t head = token * r_.kv_heads + block.head;
    const float* k = context.input(kKey).data<float>() + head * r_.k_size;
    const float* v = context.input(kValue).data<float>() + head * r_.v_size + block.column;
    if (r_.decay_size > 0) decay(context, block, head, buffers);
    if (r_.beta_heads > 0) v = correction(context, block, token, k, v, buffers);
    attention_.add_outer_product(k, v, r_.k_size, block.width, buffers.state, kBlock);
    const std::ptrdiff_t first = block.head * r_.group();
    for (int64_t g = 0; g < r_.group(); ++g) answer(context, block, token, first + g, buffers);
  }

  void decay(KernelContext& context, const Block& block, int64_t head, const Buffers& buffers) const {
    const float* log_decay = context.input(kDecay).data<float>() + head * r_.decay_size;
    unary_.exp(log_decay, buffers.decay, r_.decay_size, 0, 0);
    for (int64_t d = 0; d < r_.k_size; ++d) {
      const float factor = buffers.decay[r_.decay_size == 1 ? 0 : d];
      float* state = buffers.state + d * kBlock;
      unary_.scale(state, state, block.width, factor, 0);
    }
  }

  /// beta * (v - the product of the key and the state).
  const float* correction(KernelContext& context, const Block& block, int64_t token, const float* k, const float* v,
                          const Buffers& buffers) const {
    float* recalled = buffers.recalled;
    std::fill(recalled, recalled + block.width, 0.0f);
    attention_.add_weighted_rows(k, buffers.state, kBlock, r_.k_size, block.width, recalled);
    const float beta =
        context.input(kBeta).data<float>()[token * r_.beta_heads + (r_.beta_heads == 1 ? 0 : block.head)];
    for (int64_t m = 0; m < block.width; ++m) recalled[m] = beta * (v[m] - recalled[m]);
    return recalled;
  }

  void answer(KernelContext& context, const Block& block, int64_t token, int64_t q_head, const Buffers& buffers) const {
    const std::ptrdiff_t head = token * r_.q_heads + q_head;
    const float* q = context.input(kQuery).data<float>() + head * r_.k_size;
    float* y = context.output(0).data<float>() + head * r_.v_size + block.column;
    std::fill(y, y + block.width, 0.0f);
    attention_.add_weighted_rows(q, buffers.state, kBlock, r_.k_size, block.width, y);
    for (int64_t m = 0; m < block.width; ++m) y[m] *= r_.scale;
  }

  Recurrence r_;
  const AttentionKernels& attention_;
  const UnaryKernels& unary_;
};

/// LinearAttention: every key-value head has a state S [k_size, v_size], which each token updates: S = exp(decay) S,
/// then S += k (x) v, or S += k (x) beta (v - S^T k) for the delta rules. A query reads scale q^T S.
/// - query: [batch, length, q_heads * k_size], key: [batch, length, kv_heads * k_size], value: [batch, length, kv_heads
///   * v_size], of one dtype, float16, bfloat16 or float32
/// - decay (gated rules): [batch, length, kv_heads * k_size or kv_heads], of query's dtype
/// - beta (delta rules): [batch, length, kv_heads or 1], of query's dtype
/// - past_state, present_state: [batch, kv_heads, k_size, v_size] of any of these dtypes. Without past_state, it is
///   zero and present_state has query's dtype.
/// - update_rule: linear, gated, delta or gated_delta (default); scale: 0 for 1 / sqrt(k_size)
/// Computes in float32, token by token for any chunk_size.
/// Source: https://onnx.ai/onnx/operators/onnx__LinearAttention.html
class LinearAttention final : public Op {
 public:
  explicit LinearAttention(const NodeSpec& node)
      : q_heads_(node.attr<int64_t>("q_num_heads")),
        kv_heads_(node.attr<int64_t>("kv_num_heads")),
        scale_(node.attr_or("scale", 0.0f)) {
    const std::string rule = node.attr_or("update_rule", "gated_delta");
    gated_ = rule == "gated" || rule == "gated_delta";
    delta_ = rule == "delta" || rule == "gated_delta";
    if (!gated_ && !delta_ && rule != "linear") {
      throw Error(ErrorKind::kModel, str("update_rule must be linear, gated, delta or gated_delta, got '", rule, "'"));
    }
    if (kv_heads_ <= 0 || q_heads_ <= 0 || q_heads_ % kv_heads_ != 0) {
      throw Error(ErrorKind::kModel,
                  str("q_num_heads must be a positive multiple of kv_num_heads, got ", q_heads_, " and ", kv_heads_));
    }
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 3, 6);
    require_dtype_in(in[kQuery], kLinearAttentionTypes, "query");
    for (int i : {kKey, kValue, kDecay, kBeta}) {
      if (has_input(in, i)) require_same_dtype(in[kQuery], in[size_t(i)], "query, key, value, decay and beta");
    }
    require_used(in, kDecay, gated_, "decay");
    require_used(in, kBeta, delta_, "beta");
    const Dim k_size = merge_dim(head_size(in[kQuery], q_heads_, "query"), head_size(in[kKey], kv_heads_, "key"),
                                 "the head size of query and key");
    const Dim v_size = head_size(in[kValue], kv_heads_, "value");
    const auto [batch, length] = tokens(in);
    check_heads(in, k_size);
    const Dim width = checked_mul(v_size, q_heads_);
    const Dims state{batch, kv_heads_, k_size, v_size};
    std::vector<Fact> out{Fact(in[kQuery].dtype, Dims{batch, length, width}), state_fact(in, state)};
    return out;
  }

  // A token is added to the state of every key-value head, which the delta rules read before, and each of its queries
  // reads the state.
  int64_t multiply_adds(const NodeValues& v) const override {
    const Shape &q = v.in(kQuery).shape(), &value = v.in(kValue).shape();
    const int64_t state = checked_mul(q[2] / q_heads_, value[2] / kv_heads_);
    const int64_t uses = checked_add(checked_mul(kv_heads_, delta_ ? 2 : 1), q_heads_);
    return checked_mul(checked_mul(q[0], q[1]), checked_mul(state, uses));
  }

  KernelPtr compile(const CompileInput& in) const override {
    Recurrence r;
    r.batch = in.shape(kQuery)[0];
    r.length = in.shape(kQuery)[1];
    r.q_heads = q_heads_;
    r.kv_heads = kv_heads_;
    r.k_size = in.shape(kQuery)[2] / q_heads_;
    r.v_size = in.shape(kValue)[2] / kv_heads_;
    r.decay_size = in.has(kDecay) ? in.shape(kDecay)[2] / kv_heads_ : 0;
    r.beta_heads = in.has(kBeta) ? in.shape(kBeta)[2] : 0;
    r.scale = scale_ != 0 ? scale_ : float(1 / std::sqrt(double(r.k_size)));
    r.has_state = in.has_output(1);
    return std::make_unique<LinearAttentionKernel>(r, in.isa());
  }

 private:
  static void require_used(std::span<const Fact> in, int i, bool used, const std::string& name) {
    if (has_input(in, i) == used) return;
    throw Error(ErrorKind::kModel, str(name, " must ", used ? "" : "not ", "be given for this update_rule"));
  }

  static Dim head_size(const Fact& fact, int64_t heads, const std::string& name) {
    require_rank(fact, 3, name);
    if (!fact.has_rank()) return {};
    const Dim& width = fact.dim(2);
    if (width.known() && width.value() % heads != 0) {
      throw Error(ErrorKind::kShape, str("the last dim of ", name, " must be a multiple of ", heads, ", got ", width));
    }
    return floor_div(width, heads);
  }

  /// The batch and the length of all inputs except the state.
  static std::pair<Dim, Dim> tokens(std::span<const Fact> in) {
    Dim batch, length;
    for (int i : {kQuery, kKey, kValue, kDecay, kBeta}) {
      if (!has_input(in, i) || !in[size_t(i)].has_rank()) continue;
      require_rank(in[size_t(i)], 3, "query, key, value, decay and beta");
      batch = merge_dim(batch, in[size_t(i)].dim(0), "the batch of the inputs");
      length = merge_dim(length, in[size_t(i)].dim(1), "the length of the inputs");
    }
    return {batch, length};
  }

  void check_heads(std::span<const Fact> in, const Dim& k_size) const {
    if (has_input(in, kDecay) && in[kDecay].has_rank() && in[kDecay].dim(2).known() && k_size.known()) {
      require_width(in[kDecay], kv_heads_, checked_mul(kv_heads_, k_size.value()), "decay");
    }
    if (has_input(in, kBeta) && in[kBeta].has_rank() && in[kBeta].dim(2).known()) {
      require_width(in[kBeta], kv_heads_, 1, "beta");
    }
  }

  static void require_width(const Fact& fact, int64_t one, int64_t other, const std::string& name) {
    if (certainly_equal(fact.dim(2), one) || certainly_equal(fact.dim(2), other)) return;
    throw Error(ErrorKind::kShape, str("the last dim of ", name, " must be ", one, " or ", other, ", got ", fact));
  }

  static Fact state_fact(std::span<const Fact> in, const Dims& dims) {
    if (!has_input(in, kPastState)) return Fact(in[kQuery].dtype, dims);
    const Fact& past = in[kPastState];
    require_dtype_in(past, kLinearAttentionTypes, "past_state");
    require_rank(past, 4, "past_state");
    Fact state(past.dtype, dims);
    for (int d = 0; past.has_rank() && d < 4; ++d) {
      (*state.dims)[size_t(d)] = merge_dim(state.dim(d), past.dim(d), str("dim ", d, " of past_state"));
    }
    return state;
  }

  int64_t q_heads_, kv_heads_;
  float scale_;
  bool gated_, delta_;
};

}  // namespace

LINNET_REGISTER(linear_attention)(Registry& registry) {
  registry.add<LinearAttention>("LinearAttention", {.since = 27});
}

}  // namespace linnet
