#include <optional>

#include "infer/infer.h"
#include "op_list.h"
#include "partition/parallel.h"
#include "traditionalml/svm_votes.h"

namespace linnet {
namespace {

/// SVMClassifier without support vectors: one linear function for each class.
class LinearSvm {
 public:
  LinearSvm(const NodeSpec& node, int64_t classes)
      : coefficients_(node.attr_or("coefficients", std::vector<float>{})), classes_(classes) {
    const auto rho = node.attr_or("rho", std::vector<float>{0});
    if (rho.empty()) throw_value("rho", "no values", "given");
    rho_ = rho[0];
    const auto count = int64_t(coefficients_.size());
    if (count == 0 || count % classes_ != 0) {
      throw Error(ErrorKind::kModel, str("coefficients must be a multiple of ", classes_, " values, got ", count));
    }
    positive_ = std::all_of(coefficients_.begin(), coefficients_.end(), [](float c) { return c >= 0; });
  }

  int64_t width() const { return int64_t(coefficients_.size()) / classes_; }
  int64_t compute(const DotKernels& kernels, const double* x, PostTransform transform, double* scores) const {
    kernels.products(x, coefficients_.data(), classes_, width(), scores);
    for (int64_t c = 0; c < classes_; ++c) scores[c] += rho_;
    const double* best = std::max_element(scores, scores + classes_);
    const bool second = classes_ == 2 && (positive_ ? *best >= 0.5 : *best > 0);
    const int64_t label = second ? 1 : best - scores;
    apply(transform, {scores, size_t(classes_)});
    return label;
  }

 private:
  std::vector<float> coefficients_;
  double rho_ = 0;
  int64_t classes_;
  bool positive_;
};

/// What SVMClassifier computes of one row, by one of the two.
struct SvmClassification {
  ClassLabels labels;
  PostTransform transform;
  std::optional<SvmVotes> votes;
  std::optional<LinearSvm> linear;

  int64_t width() const { return votes ? votes->width() : linear->width(); }
  int64_t scores() const { return votes ? votes->scores() : labels.count(); }
  int64_t scratch() const { return votes ? votes->scratch() : 0; }
  int64_t compute(const KernelTable& kernels, const double* x, double* scores_of_x, double* scratch_space) const {
    return votes ? votes->compute(kernels, x, transform, scores_of_x, scratch_space)
                 : linear->compute(kernels.dots, x, transform, scores_of_x);
  }
};

class SvmClassifierKernel final : public Kernel {
 public:
  SvmClassifierKernel(const CompileInput& in, SvmClassification model)
      : kernels_(kernel_table(in.isa())),
        read_(read_numbers_of(in.dtype(0))),
        rows_(rows_of(in.shape(0))),
        model_(std::move(model)) {}

  void run(KernelContext& context) const override {
    const void* x = context.input(0).raw();
    Tensor& y = context.output(0);
    float* z = context.output(1).data<float>();
    const int64_t columns = model_.scores(), cost = rows_.width * columns + model_.scratch();
    parallel_items(context.executor(), rows_.count, cost, [&](int64_t begin, int64_t end, int worker) {
      auto* row = reinterpret_cast<double*>(context.scratch(worker));
      double* scores = row + rows_.width;
      for (int64_t r = begin; r < end; ++r) {
        read_(x, r * rows_.width, rows_.width, row);
        model_.labels.write(model_.compute(kernels_, row, scores, scores + columns), y, r);
        for (int64_t c = 0; c < columns; ++c) z[r * columns + c] = float(scores[c]);
      }
    });
  }

  size_t scratch_bytes() const override {
    return dtype_bytes(DType::kFloat64, checked_add(rows_.width, checked_add(model_.scores(), model_.scratch())));
  }

 private:
  const KernelTable& kernels_;
  ReadNumbers read_;
  Rows rows_;
  SvmClassification model_;
};

/// SVMClassifier. With support vectors (vectors_per_class) each pair of classes decides by the sum of coefficient *
/// kernel(x, vector) plus rho, and the class with the most votes wins. Z then holds class probabilities (with prob_a
/// and prob_b), otherwise the decisions of the pairs; for two classes -decision and decision without a transform, 1 -
/// decision and decision with one. Without support vectors each class has a linear function, the kernel is LINEAR and
/// the highest score wins; of two classes the second wins where that score is positive (0.5 or more where no
/// coefficient is negative). Where the definition is silent all this is as in ONNX Runtime.
/// X: float32, float64, int64 or int32 [N, C] or [C].   Y: int64 or string [N].   Z: float32 [N, scores].
/// Computed in float64. Source: https://onnx.ai/onnx/operators/onnx_aionnxml_SVMClassifier.html
class SVMClassifier final : public Op {
 public:
  explicit SVMClassifier(const NodeSpec& node)
      : model_{ClassLabels(node, "classlabels_ints", "classlabels_strings"), post_transform_of(node), {}, {}} {
    const auto vectors = node.attr_or("vectors_per_class", std::vector<int64_t>{});
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

void register_svm_classifier(Registry& registry) {
  registry.add<SVMClassifier>("SVMClassifier", {.since = 1, .domain = "ai.onnx.ml"});
}

}  // namespace linnet
