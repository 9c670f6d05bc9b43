#include <algorithm>
#include <array>
#include <optional>

#include "elements/dispatch.h"
#include "infer/infer.h"
#include "losses/log_softmax_of_positions.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "registration.h"

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
  bool softmax;  ///< Whether the scores are logits, not log probabilities.
  Reduction reduction;
  std::optional<int64_t> ignored_label;
};

/// Computes the loss of scores [n, classes, inner] and labels [n, inner].
template <class T>
class LossKernel final : public Kernel {
 public:
  LossKernel(const Loss& loss, const CompileInput& in)
      : loss_(loss),
        classes_(in.shape(0)[1]),
        inner_(in.shape(0).elements(2, in.rank(0))),
        log_softmax_(classes_, inner_, in.isa()),
        has_weights_(in.has(2)),
        has_log_prob_(in.has_output(1)) {}

  void run(KernelContext& context) const override {
    const int64_t positions = context.input(1).size(), work = loss_.softmax ? checked_mul(4, classes_) : 4;
    const int64_t parts = std::clamp<int64_t>(checked_mul(positions, work) / kChunkElements, 1, kMostParts);
    std::array<Total, kMostParts> totals;
    context.executor().parallel_for(parts, [&](int64_t part, int worker) {
      auto* room = reinterpret_cast<T*>(context.scratch(worker));
      totals[size_t(part)] = add_up(values_of(context), Span{0, positions}.part(parts, part), work, room);
    });
    Total all;
    for (int64_t i = 0; i < parts; ++i) {
      all.loss += totals[size_t(i)].loss;
      all.weight += totals[size_t(i)].weight;
    }
    if (loss_.reduction == Reduction::kSum) *context.output(0).template data<T>() = T(all.loss);
    if (loss_.reduction == Reduction::kMean) *context.output(0).template data<T>() = T(all.loss / all.weight);
  }

  size_t scratch_bytes() const override {
    return loss_.softmax && !has_log_prob_ ? dtype_bytes(dtype_of<T>, log_softmax_.room()) : 0;
  }

 private:
  static constexpr int64_t kMostParts = 64;

  struct Total {
    double loss = 0, weight = 0;
  };

  struct Values {
    const T* x;
    const Tensor& labels;
    const T* weights;  ///< nullptr if omitted.
    T* losses;         ///< nullptr if they are reduced.
    T* log_prob;       ///< nullptr if omitted.
  };

  Values values_of(KernelContext& context) const {
    return {context.input(0).template data<T>(), context.input(1),
            has_weights_ ? context.input(2).template data<T>() : nullptr,
            loss_.reduction == Reduction::kNone ? context.output(0).template data<T>() : nullptr,
            has_log_prob_ ? context.output(1).template data<T>() : nullptr};
  }

  Total add_up(const Values& values, const Span& positions, int64_t work, T* room) const {
    Total total;
    Checkpoints checkpoints;
    for (int64_t first = positions.begin; first < positions.end;) {
      const int64_t count = log_softmax_.count(first, positions.end);
      const int64_t offset = first / inner_ * classes_ * inner_ + first % inner_;
      const LogProbs<T> log_probs = loss_.softmax ? log_softmax_.compute(values.x, values.log_prob, first, count, room)
                                    : inner_ > 1  ? LogProbs<T>{values.x + offset, 1, inner_}
                                                  : LogProbs<T>{values.x + offset, classes_, 1};
      if (values.labels.dtype() == DType::kInt32)
        add_up(values, values.labels.template data<int32_t>(), first, count, log_probs, total);
      else
        add_up(values, values.labels.template data<int64_t>(), first, count, log_probs, total);
      checkpoints.add(count * work);
      first += count;
    }
    return total;
  }

  template <class Label>
  void add_up(const Values& values, const Label* labels, int64_t first, int64_t count, const LogProbs<T>& log_probs,
              Total& total) const {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t label = labels[first + i];
      double loss = 0;
      if (loss_.ignored_label != label) {
        if (label < 0 || label >= classes_) throw_label(label);
        const double weight = values.weights ? double(values.weights[label]) : 1;
        loss = -double(log_probs.first[i * log_probs.position + label * log_probs.class_]) * weight;
        total.weight += weight;
      }
      total.loss += loss;
      if (values.losses) values.losses[first + i] = T(loss);
    }
  }

  [[noreturn]] void throw_label(int64_t label) const {
    throw Error(ErrorKind::kShape, str("labels must be in [0, ", classes_, "), got ", label));
  }

  Loss loss_;
  int64_t classes_, inner_;
  LogSoftmaxOfPositions<T> log_softmax_;
  bool has_weights_, has_log_prob_;
};

/// NegativeLogLikelihoodLoss: -weights[label] * x[label] for every position, where x are log probabilities.
/// SoftmaxCrossEntropyLoss: the same for LogSoftmax(x) over the classes, which is also the output log_prob.
/// x: float16/bfloat16/float/double [N,C,...].
/// labels: int32 or int64 [N,...].
/// weights: [C], may be omitted.
/// reduction: none (output like the labels), sum, or mean (the sum divided by the sum of the weights).
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
    if (loss_.softmax && num_outputs_ > 1) out.push_back(same_as(in[0])[0]);
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

LINNET_REGISTER(cross_entropy_loss)(Registry& registry) {
  registry.add<CrossEntropyLoss>("NegativeLogLikelihoodLoss", {.since = 12});
  registry.add<CrossEntropyLoss>("SoftmaxCrossEntropyLoss", {.since = 12});
}

}  // namespace linnet
