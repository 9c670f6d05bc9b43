#include <cmath>
#include <limits>
#include <optional>

#include "elements/dispatch.h"
#include "infer/infer.h"
#include "op_list.h"
#include "partition/checkpoints.h"

namespace linnet {
namespace {

enum class Reduction { kNone, kSum, kMean };

Reduction reduction_from_name(const std::string& name) {
  if (name == "none") return Reduction::kNone;
  if (name == "sum") return Reduction::kSum;
  if (name == "mean") return Reduction::kMean;
  throw Error(ErrorKind::kModel, str("reduction must be 'none', 'sum' or 'mean', got '", name, "'"));
}

struct Loss {
  bool softmax;  ///< the scores are not yet logarithms of probabilities
  Reduction reduction;
  std::optional<int64_t> ignored_label;
};

/// Scores [n, classes, inner] and labels [n, inner].
template <class T>
class LossKernel final : public Kernel {
 public:
  LossKernel(const Loss& loss, const CompileInput& in)
      : loss_(loss),
        classes_(in.shape(0)[1]),
        inner_(in.shape(0).elements(2, in.rank(0))),
        has_weights_(in.has(2)),
        has_log_prob_(in.has_output(1)) {}

  void run(KernelContext& context) const override {
    const Tensor& labels = context.input(1);
    double total = 0, total_weight = 0;
    Checkpoints checkpoints;
    for (int64_t i = 0; i < labels.size(); ++i) {
      checkpoints.add(kScoreWork * (loss_.softmax || has_log_prob_ ? classes_ : 1));
      const int64_t label = label_at(labels, i);
      const double log_prob = this->log_prob(context, i, label);
      const double weight = weight_of(context, label);
      const double loss = is_ignored(label) ? 0 : -log_prob * weight;
      total += loss, total_weight += weight;
      if (loss_.reduction == Reduction::kNone) context.output(0).template data<T>()[i] = rounded(loss);
    }
    if (loss_.reduction == Reduction::kSum) *context.output(0).template data<T>() = rounded(total);
    if (loss_.reduction == Reduction::kMean) *context.output(0).template data<T>() = rounded(total / total_weight);
  }

 private:
  static constexpr int64_t kScoreWork = 16;

  static T rounded(double value) { return T(value); }

  bool is_ignored(int64_t label) const { return loss_.ignored_label == label; }

  int64_t label_at(const Tensor& labels, int64_t i) const {
    const int64_t label = labels.dtype() == DType::kInt32 ? labels.data<int32_t>()[i] : labels.data<int64_t>()[i];
    if (!is_ignored(label) && (label < 0 || label >= classes_)) {
      throw Error(ErrorKind::kShape, str("labels must lie in [0, ", classes_, "), got ", label));
    }
    return label;
  }

  double weight_of(KernelContext& context, int64_t label) const {
    if (is_ignored(label)) return 0;
    return has_weights_ ? double(context.input(2).template data<T>()[label]) : 1;
  }

  /// The logarithm of the label's probability, at position i; those of all classes go to output 1 where wanted.
  double log_prob(KernelContext& context, int64_t i, int64_t label) const {
    const int64_t first = i / inner_ * classes_ * inner_ + i % inner_;
    const T* x = context.input(0).template data<T>() + first;
    const double log_sum = loss_.softmax ? log_sum_exp(x) : 0;
    if (has_log_prob_) {
      T* y = context.output(1).template data<T>() + first;
      for (int64_t c = 0; c < classes_; ++c) y[c * inner_] = rounded(double(x[c * inner_]) - log_sum);
    }
    return is_ignored(label) ? 0 : double(x[label * inner_]) - log_sum;
  }

  double log_sum_exp(const T* x) const {
    double max = -std::numeric_limits<double>::infinity(), sum = 0;
    for (int64_t c = 0; c < classes_; ++c) max = std::max(max, double(x[c * inner_]));
    for (int64_t c = 0; c < classes_; ++c) sum += std::exp(double(x[c * inner_]) - max);
    return max + std::log(sum);
  }

  Loss loss_;
  int64_t classes_, inner_;
  bool has_weights_, has_log_prob_;
};

/// NegativeLogLikelihoodLoss: -weights[label] * x[label] for every position, x being logarithms of probabilities.
/// SoftmaxCrossEntropyLoss: the same of LogSoftmax(x) over the classes, which is also the output log_prob.
/// x: float16/bfloat16/float/double [N,C,...].   labels: int32 or int64 [N,...].   weights: [C], may be omitted.
/// reduction: none (output like the labels), sum, or mean (the sum divided by that of the weights).
/// ignore_index: a label whose loss and weight are 0.
/// Sources: https://onnx.ai/onnx/operators/onnx__NegativeLogLikelihoodLoss.html,
/// https://onnx.ai/onnx/operators/onnx__SoftmaxCrossEntropyLoss.html
class CrossEntropyLoss final : public Op {
 public:
  explicit CrossEntropyLoss(const NodeSpec& node)
      : loss_{node.op_type == "SoftmaxCrossEntropyLoss", reduction_from_name(node.attr_or("reduction", "mean")), {}},
        num_outputs_(node.num_outputs) {
    if (node.has("ignore_index")) loss_.ignored_label = node.attr<int64_t>("ignore_index");
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    static constexpr DType kLabels[] = {DType::kInt32, DType::kInt64};
    require_inputs(in, 2, 3);
    require_floating(in[0], "scores");
    require_rank_at_least(in[0], 2, "scores");
    require_dtype_in(in[1], kLabels, "labels");
    const std::optional<Dims> positions = this->positions(in[0]);
    if (positions) require_rank(in[1], int(positions->size()), "labels");
    for (size_t i = 0; positions && in[1].has_rank() && i < positions->size(); ++i) {
      merge_dim((*positions)[i], in[1].dim(int(i)), "the dims of the labels and of the scores without their classes");
    }
    if (has_input(in, 2)) {
      require_same_dtype(in[0], in[2], "scores and weights");
      require_rank(in[2], 1, "weights");
      if (in[0].has_rank() && in[2].has_rank()) merge_dim(in[0].dim(1), in[2].dim(0), "the classes and the weights");
    }
    const std::optional<Dims> dims = loss_.reduction == Reduction::kNone ? positions : Dims{};
    std::vector<Fact> out{Fact(in[0].dtype, dims)};
    if (num_outputs_ > 1) out.push_back(same_as(in[0])[0]);
    return out;
  }

  KernelPtr compile(const CompileInput& in) const override {
    return dispatch_float(in.dtype(0),
                          [&]<class T>() -> KernelPtr { return std::make_unique<LossKernel<T>>(loss_, in); });
  }

 private:
  static std::optional<Dims> positions(const Fact& scores) {
    if (!scores.has_rank()) return std::nullopt;
    Dims dims = *scores.dims;
    dims.erase(dims.begin() + 1);
    return dims;
  }

  Loss loss_;
  int num_outputs_;
};

}  // namespace

void register_cross_entropy_loss(Registry& registry) {
  registry.add<CrossEntropyLoss>("NegativeLogLikelihoodLoss", {.since = 12});
  registry.add<CrossEntropyLoss>("SoftmaxCrossEntropyLoss", {.since = 12});
}

}  // namespace linnet
