#include <optional>

#include "infer/infer.h"
#include "kernels/dots.h"
#include "kernels/kernels_for.h"
#include "registration.h"
#include "tensor/counted_vector.h"
#include "traditionalml/attribute_list.h"
#include "traditionalml/svm_votes.h"

namespace linnet {
namespace {

/// SVMClassifier without support vectors: one linear function for each class.
class LinearSvm {
 public:
  LinearSvm(const NodeSpec& node, int64_t classes)
      : coefficients_(coefficients_of(node, classes)), rho_(rho_of(node)), positive_(all_positive(node)) {}

  const DotVectors& coefficients() const { return coefficients_; }
  /// Computes a row from its products with the coefficients. Writes the scores after the transform and returns the
  /// class.
  int64_t compute(const double* products, PostTransform transform, double* scores) const {
    const int64_t classes = coefficients_.count();
    for (int64_t c = 0; c < classes; ++c) scores[c] = products[c] + rho_;
    const double* best = std::max_element(scores, scores + classes);
    const bool second = classes == 2 && (positive_ ? *best >= 0.5 : *best > 0);
    const int64_t label = second ? 1 : best - scores;
    apply(transform, {scores, size_t(classes)});
    return label;
  }

 private:
  static CountedVector<float> values_of(const NodeSpec& node) { return attribute_list<float>(node, "coefficients"); }
  static DotVectors coefficients_of(const NodeSpec& node, int64_t classes) {
    const auto values = values_of(node);
    const auto count = int64_t(values.size());
    if (count == 0 || count % classes != 0) {
      throw Error(ErrorKind::kModel, str("coefficients must be a multiple of ", classes, " values, got ", count));
    }
    return {values, classes};
  }
  static double rho_of(const NodeSpec& node) {
    const auto rho = node.attr_or("rho", std::vector<float>{0});
    if (rho.empty()) throw_value("rho", "no values", "given");
    return double(rho[0]);
  }
  static bool all_positive(const NodeSpec& node) {
    const auto values = values_of(node);
    return std::all_of(values.begin(), values.end(), [](float c) { return c >= 0; });
  }

  DotVectors coefficients_;
  double rho_;
  bool positive_;
};

/// The classification of rows, with support vectors or linear functions.
struct SvmClassification {
  ClassLabels labels;
  PostTransform transform;
  std::optional<SvmVotes> votes;
  std::optional<LinearSvm> linear;

  int64_t width() const { return votes ? votes->width() : linear->coefficients().width(); }
  int64_t scores() const { return votes ? votes->scores() : labels.count(); }
  /// The numbers that sums() writes for a row: kernel values or products.
  int64_t sums() const { return votes ? votes->support_vectors().count() : labels.count(); }
  int64_t scratch() const { return votes ? votes->scratch() : 0; }

  void sums(const SvmFunctions& functions, const double* x, int rows, double* out) const {
    if (votes) return votes->support_vectors().compute(functions, x, rows, out);
    linear->coefficients().sums(functions.dots.products, x, rows, out);
  }
  int64_t compute(const double* sums_of_row, double* scores_of_row, double* scratch_space) const {
    return votes ? votes->compute(sums_of_row, transform, scores_of_row, scratch_space)
                 : linear->compute(sums_of_row, transform, scores_of_row);
  }
};

class SvmClassifierKernel final : public Kernel {
 public:
  SvmClassifierKernel(const CompileInput& in, SvmClassification model)
      : rows_(in), functions_(in.isa()), model_(std::move(model)) {}

  void run(KernelContext& context) const override {
    Tensor& y = context.output(0);
    float* z = context.output(1).data<float>();
    const int64_t columns = model_.scores(), sums = model_.sums(), cost = rows_.width() * sums + model_.scratch();
    rows_.for_each(context, cost, [&](int64_t row, int count, const double* rows, double* sums_of_rows) {
      double* scores = sums_of_rows + DotKernels::kRows * sums;
      model_.sums(functions_, rows, count, sums_of_rows);
      for (int i = 0; i < count; ++i) {
        model_.labels.write(model_.compute(sums_of_rows + i * sums, scores, scores + columns), y, row + i);
        for (int64_t c = 0; c < columns; ++c) z[(row + i) * columns + c] = float(scores[c]);
      }
    });
  }

  size_t scratch_bytes() const override {
    const int64_t sums = checked_mul(DotKernels::kRows, model_.sums());
    return rows_.scratch_bytes(checked_add(sums, checked_add(model_.scores(), model_.scratch())));
  }

 private:
  RowBlocks rows_;
  SvmFunctions functions_;
  SvmClassification model_;
};

/// SVMClassifier.
/// With support vectors (vectors_per_class), each pair of classes decides by the sum of coefficient * kernel(x, vector)
/// plus rho, and the class with the most votes wins. Z contains class probabilities (with prob_a and prob_b), otherwise
/// the decisions of the pairs. For two classes these are -decision and decision without a transform, 1 - decision and
/// decision with one.
/// Without support vectors, each class has a linear function, the kernel is LINEAR and the highest score wins. Of two
/// classes, the second wins if that score is positive (0.5 or more if no coefficient is negative).
/// Behaviour that the specification does not define is as in ONNX Runtime.
/// X: float32, float64, int64 or int32 [N, C] or [C].
/// Y: int64 or string [N].
/// Z: float32 [N, scores].
/// Computed in float64.
/// Source: https://onnx.ai/onnx/operators/onnx_aionnxml_SVMClassifier.html
class SVMClassifier final : public Op {
 public:
  explicit SVMClassifier(const NodeSpec& node)
      : model_{ClassLabels(node, "classlabels_ints", "classlabels_strings"), post_transform_of(node), {}, {}} {
    const auto vectors = attribute_list<int64_t>(node, "vectors_per_class");
    if (std::all_of(vectors.begin(), vectors.end(), [](int64_t count) { return count == 0; })) {
      model_.linear.emplace(node, model_.labels.count());
    } else {
      model_.votes.emplace(node, model_.labels.count());
    }
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_rows(in[0]);
    if (in[0].has_rank()) merge_dim(in[0].dims->back(), model_.width(), "features of X and of the model");
    const Dim rows = row_dim(in[0]);
    return {Fact(model_.labels.dtype(), Dims{rows}), Fact(DType::kFloat32, Dims{rows, model_.scores()})};
  }

  KernelPtr compile(const CompileInput& in) const override { return std::make_unique<SvmClassifierKernel>(in, model_); }

 private:
  SvmClassification model_;
};

}  // namespace

LINNET_REGISTER(svm_classifier)(Registry& registry) {
  registry.add<SVMClassifier>("SVMClassifier", {.since = 1, .domain = "ai.onnx.ml"});
}

}  // namespace linnet
