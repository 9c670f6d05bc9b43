#include <algorithm>
#include <array>

#include "infer/infer.h"
#include "kernels/kernels_for.h"
#include "kernels/unary.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "registration.h"
#include "roofline/counts.h"

namespace linnet {
namespace {

constexpr std::array kTypes{DType::kFloat32, DType::kFloat16, DType::kBFloat16};

/// Scratch: the state, followed by the row.
class CausalConvKernel final : public Kernel {
 public:
  CausalConvKernel(const CompileInput& in, bool swish)
      : rows_(in.shape(0).elements(0, 2)),
        channels_(in.shape(0)[1]),
        length_(in.shape(0)[2]),
        k_(in.shape(1)[2]),
        has_state_(in.has_output(1)),
        swish_(swish ? kernels_for<UnaryKernels>(in.isa()).swish : nullptr) {}

  void run(KernelContext& context) const override {
    parallel_items(context.executor(), rows_, length_ * k_, [&](int64_t row, int64_t end, int worker) {
      auto* buffer = reinterpret_cast<float*>(context.scratch(worker));
      for (; row < end; ++row) run_row(context, row, buffer);
    });
  }
  size_t scratch_bytes() const override { return dtype_bytes(DType::kFloat32, checked_add(length_, k_)); }

 private:
  static constexpr int64_t kMultipliesPerNanosecond = 4;

  void run_row(KernelContext& context, int64_t row, float* padded) const {
    const int64_t channel = row % channels_;
    join_state(context, row, padded);
    if (has_state_) std::copy_n(padded + length_, k_ - 1, context.output(1).data<float>() + row * (k_ - 1));
    const float* w = context.input(1).data<float>() + channel * k_;
    float* y = context.output(0).data<float>() + row * length_;
    std::fill(y, y + length_, context.input(2) ? context.input(2).data<float>()[channel] : 0.0f);
    Checkpoints checkpoints;
    for (int64_t j = 0; j < k_; ++j) {
      for (int64_t t = 0; t < length_; ++t) y[t] += w[j] * padded[t + j];
      checkpoints.add(1 + length_ / kMultipliesPerNanosecond);
    }
    if (swish_) swish_(y, y, length_, 1, 0);
  }

  void join_state(KernelContext& context, int64_t row, float* padded) const {
    if (context.input(3)) {
      std::copy_n(context.input(3).data<float>() + row * (k_ - 1), k_ - 1, padded);
    } else {
      std::fill(padded, padded + k_ - 1, 0.0f);
    }
    std::copy_n(context.input(0).data<float>() + row * length_, length_, padded + k_ - 1);
  }

  int64_t rows_, channels_, length_, k_;
  bool has_state_;
  UnaryForm swish_;  // may be null
};

/// CausalConvWithState: y[b][c][t] = activation(bias[c] + sum over j < k of w[c][0][j] * x[b][c][t + j - (k - 1)]).
/// past_state holds the x before t = 0; without it they are 0. present_state is the last k - 1 values of past_state and
/// x.
/// x, y: [batch, channels, length]. w: [channels, 1, k]. bias: [channels]. States: [batch, channels, k - 1]. All have
/// one dtype: float16, bfloat16 or float32. activation: none, or silu, also named swish.
/// Source: https://onnx.ai/onnx/operators/onnx__CausalConvWithState.html
class CausalConvWithState final : public Op {
 public:
  explicit CausalConvWithState(const NodeSpec& node) {
    const std::string activation = node.attr_or("activation", "none");
    swish_ = activation == "silu" || activation == "swish";
    if (!swish_ && activation != "none") {
      throw Error(ErrorKind::kModel, str("activation must be none, silu or swish, got '", activation, "'"));
    }
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 4);
    const Fact &x = in[0], &w = in[1];
    require_dtype_in(x, kTypes, "input");
    for (int i : {1, 2, 3}) {
      if (!has_input(in, i)) continue;
      require_same_dtype(x, in[size_t(i)], "all inputs");
      require_rank(in[size_t(i)], i == 2 ? 1 : 3, i == 1 ? "weight" : i == 2 ? "bias" : "past_state");
    }
    require_rank(x, 3, "input");
    std::vector<Fact> out{same_as(x)[0], Fact(x.dtype, std::nullopt)};
    if (x.has_rank()) out[1].dims = Dims{x.dim(0), x.dim(1), state_length(w)};
    if (x.has_rank() && w.has_rank()) check_channels(in);
    if (has_input(in, 3) && in[3].has_rank() && out[1].has_rank()) {
      for (int d = 0; d < 3; ++d) merge_dim((*out[1].dims)[size_t(d)], in[3].dim(d), str("dim ", d, " of past_state"));
    }
    return out;
  }

  int64_t multiply_adds(const NodeValues& v) const override { return conv_multiply_adds(v.out(0), v.in(1)); }

  KernelPtr compile(const CompileInput& in) const override { return std::make_unique<CausalConvKernel>(in, swish_); }

 private:
  static Dim state_length(const Fact& w) {
    if (!w.has_rank()) return {};
    if (w.dim(2).known() && w.dim(2).value() < 1)
      throw Error(ErrorKind::kShape, str("weight must be [channels,1,k], k >= 1, got ", w));
    learn_at_least(w.dim(2), 1);
    return w.dim(2) - 1;
  }

  static void check_channels(std::span<const Fact> in) {
    merge_dim(in[0].dim(1), in[1].dim(0), "the channels of input and weight");
    merge_dim(in[1].dim(1), 1, "dim 1 of weight and 1");
    if (has_input(in, 2) && in[2].has_rank()) merge_dim(in[0].dim(1), in[2].dim(0), "the channels and bias");
  }

  bool swish_;
};

}  // namespace

LINNET_REGISTER(causal_conv_with_state)(Registry& registry) {
  registry.add<CausalConvWithState>("CausalConvWithState", {.since = 27});
}

}  // namespace linnet
