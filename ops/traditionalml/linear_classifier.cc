#include "infer/infer.h"
#include "kernels/kernels_for.h"
#include "kernels/number_unary.h"
#include "registration.h"
#include "traditionalml/attribute_list.h"
#include "traditionalml/class_labels.h"
#include "traditionalml/linear_model.h"
#include "traditionalml/post_transform.h"

namespace linnet {
namespace {

class LinearClassifierKernel final : public Kernel {
 public:
  LinearClassifierKernel(const CompileInput& in, const LinearModel& model, ClassLabels labels, PostTransform transform)
      : linear_(in, model),
        scores_(model.scores()),
        labels_(std::move(labels)),
        transform_(transform),
        columns_(labels_.count()),
        exp_(kernels_for<NumberUnaryKernels>(in.isa()).doubles.exp) {}

  void run(KernelContext& context) const override {
    Tensor& y = context.output(0);
    float* z = context.output(1).data<float>();
    linear_.for_each(context, [&](int64_t row, int count, double* scores) {
      if (scores_ < columns_) {
        for (int i = 0; i < count; ++i) finish_binary(scores[i], y, z, row + i);
      } else {
        finish(scores, count, y, z, row);
      }
    });
  }

  size_t scratch_bytes() const override { return linear_.scratch_bytes(); }

 private:
  void finish_binary(double score, Tensor& y, float* z, int64_t row) const {
    double both[2];
    apply_binary(transform_, score, false, both);
    labels_.write(score > 0 ? 1 : 0, y, row);
    for (int c = 0; c < 2; ++c) z[row * 2 + c] = float(both[c]);
  }

  /// Writes the best classes (the first among equals) of `count` rows from `row` on, and the transformed scores.
  void finish(double* scores, int count, Tensor& y, float* z, int64_t row) const {
    int64_t best[LinearScores::kMostRows];
    for (int i = 0; i < count; ++i) {
      const double* of_row = scores + i * columns_;
      double most = of_row[0];
      int64_t at = 0;
      for (int64_t c = 1; c < columns_; ++c) {  // without branches
        const double score = of_row[c];
        at = most < score ? c : at;
        most = most < score ? score : most;
      }
      best[i] = at;
    }
    labels_.write({best, size_t(count)}, y, row);
    apply_to_rows(transform_, scores, count, columns_, exp_);
    for (int64_t i = 0; i < count * columns_; ++i) z[row * columns_ + i] = float(scores[i]);
  }

  LinearScores linear_;
  int64_t scores_;
  ClassLabels labels_;
  PostTransform transform_;
  int64_t columns_;
  NumberFunction exp_;
};

/// LinearClassifier: the scores X * coefficients^T + intercepts, one for each class, and the label of the highest score
/// (the first among equals).
/// With two labels, there may be coefficients for one score only. Then the label is the second one if the score is
/// positive, and the scores are 1 - score and score. LOGISTIC and PROBIT are applied to the score; the softmaxes are
/// not applied. The specification does not define this; it is as in ONNX Runtime. The attribute multi_class has no
/// effect.
/// X: float32, float64, int64 or int32 [N, C] or [C].
/// Y: int64 or string [N].
/// Z: float32 [N, classes].
/// Computed in float64.
/// Source: https://onnx.ai/onnx/operators/onnx_aionnxml_LinearClassifier.html
class LinearClassifier final : public Op {
 public:
  explicit LinearClassifier(const NodeSpec& node)
      : labels_(node, "classlabels_ints", "classlabels_strings"),
        model_(node, scores(node, labels_.count())),
        transform_(post_transform_of(node)) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    model_.check(in[0]);
    const Dim rows = row_dim(in[0]);
    return {Fact(labels_.dtype(), Dims{rows}), Fact(DType::kFloat32, Dims{rows, labels_.count()})};
  }

  KernelPtr compile(const CompileInput& in) const override {
    return std::make_unique<LinearClassifierKernel>(in, model_, labels_, transform_);
  }

 private:
  /// Returns the number of scores of the coefficients. For two labels, the number of intercepts decides.
  static int64_t scores(const NodeSpec& node, int64_t labels) {
    return labels == 2 && attribute_list<float>(node, "intercepts").size() == 1 ? 1 : labels;
  }

  ClassLabels labels_;
  LinearModel model_;
  PostTransform transform_;
};

}  // namespace

LINNET_REGISTER(linear_classifier)(Registry& registry) {
  registry.add<LinearClassifier>("LinearClassifier", {.since = 1, .domain = "ai.onnx.ml"});
}

}  // namespace linnet
