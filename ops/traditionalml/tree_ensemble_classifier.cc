#include <algorithm>

#include "infer/infer.h"
#include "registration.h"
#include "tensor/counted_vector.h"
#include "traditionalml/class_labels.h"
#include "traditionalml/post_transform.h"
#include "traditionalml/tree_kernel.h"

namespace linnet {
namespace {

/// Computes a class and the output scores from the scores of a row.
class ScoreRule {
 public:
  ScoreRule(const NodeSpec& node, const TreeSpec& spec) : classes_(spec.targets), transform_(post_transform_of(node)) {
    const auto differs = [&](const TreeSpec::Vote& vote) { return vote.target != spec.votes[0].target; };
    const bool one_column = std::none_of(spec.votes.begin(), spec.votes.end(), differs);
    base_ = floats_or_tensor(node, "base_values");
    binary_ = classes_ == 2 && !spec.votes.empty() && one_column && base_.size() < 2;
    if (!base_.empty() && !binary_) require_length("base_values", base_.size(), classes_);
    if (binary_) column_ = spec.votes[0].target;
    mixed_ = std::any_of(spec.votes.begin(), spec.votes.end(), [](const auto& vote) { return vote.weight < 0; });
  }

  /// Overwrites the scores with the output scores and returns the class.
  int64_t finish(double* scores, const bool* voted) const {
    return binary_ ? finish_binary(scores, voted) : finish_any(scores, voted);
  }

 private:
  int64_t finish_any(double* scores, const bool* voted) const {
    int64_t best = -1;
    for (int64_t c = 0; c < classes_; ++c) {
      if (!base_.empty()) scores[c] += base_[size_t(c)];
      const bool candidate = voted[c] || !base_.empty();
      if (candidate && (best < 0 || scores[c] > scores[best])) best = c;
    }
    apply(transform_, {scores, size_t(classes_)});
    return std::max<int64_t>(best, 0);
  }

  int64_t finish_binary(double* scores, const bool* voted) const {
    const double score = scores[column_] + (base_.empty() ? 0 : base_[0]);
    if (column_ == 1 && voted[1]) {
      scores[1] = score;
      apply(transform_, {scores, 2});
    } else {
      apply_binary(transform_, score, mixed_, std::span<double, 2>(scores, 2));
    }
    return score > (mixed_ ? 0 : 0.5) ? 1 : 0;
  }

  int64_t classes_, column_ = 0;
  PostTransform transform_;
  CountedVector<double> base_;
  bool binary_, mixed_;
};

class TreeEnsembleClassifierKernel final : public TreeKernel {
 public:
  TreeEnsembleClassifierKernel(const CompileInput& in, const TreeModel& model, ScoreRule rule, ClassLabels labels)
      : TreeKernel(in, model, TreeAggregate::kSum), rule_(std::move(rule)), labels_(std::move(labels)) {}

 private:
  void finish(KernelContext& context, int64_t row, double* scores, const bool* voted) const override {
    labels_.write(rule_.finish(scores, voted), context.output(0), row);
    float* z = context.output(1).data<float>() + row * targets();
    for (int64_t c = 0; c < targets(); ++c) z[c] = float(scores[c]);
  }

  ScoreRule rule_;
  ClassLabels labels_;
};

/// TreeEnsembleClassifier: for each class, the sum of the weights of the leaves that the trees lead to, plus its base
/// value; the label of the highest score (the first among equals); the scores after the transform.
///
/// Behaviour that the specification does not define is as in ONNX Runtime. A class competes only if a leaf voted for it
/// or there are base values. Special rules apply to two classes with weights for only one of them:
/// - The weights give the score of the second class, which wins if it is above 0.5 (above 0 if some weight is
///   negative).
/// - The output scores are 1 - score and score (-score and score if some weight is negative). LOGISTIC and PROBIT are
///   applied to the score; the softmaxes are not applied.
/// - If the weights are of the second class and a leaf voted for it, the output scores are 0 and the score, with the
///   usual transform.
/// - A single base value belongs to that score.
///
/// X: float32, float64, int64 or int32 [N, F] or [F]; compared as float32 if both X and the thresholds are float32,
/// else as float64.
/// Y: int64 or string [N].
/// Z: float32 [N, classes]; summed in float64.
/// Source: https://onnx.ai/onnx/operators/onnx_aionnxml_TreeEnsembleClassifier.html
class TreeEnsembleClassifier final : public Op {
 public:
  explicit TreeEnsembleClassifier(const NodeSpec& node)
      : labels_(node, "classlabels_int64s", "classlabels_strings"),
        model_(read_trees(node, "class", labels_.count())),
        rule_(node, model_.spec()) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_rows(in[0]);
    require_features(in[0], model_.spec());
    const Dim rows = row_dim(in[0]);
    return {Fact(labels_.dtype(), Dims{rows}), Fact(DType::kFloat32, Dims{rows, labels_.count()})};
  }

  KernelPtr compile(const CompileInput& in) const override {
    return std::make_unique<TreeEnsembleClassifierKernel>(in, model_, rule_, labels_);
  }

 private:
  ClassLabels labels_;
  TreeModel model_;
  ScoreRule rule_;
};

}  // namespace

LINNET_REGISTER(tree_ensemble_classifier)(Registry& registry) {
  registry.add<TreeEnsembleClassifier>("TreeEnsembleClassifier", {.since = 1, .domain = "ai.onnx.ml"});
}

}  // namespace linnet
