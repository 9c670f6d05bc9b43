#include <optional>

#include "infer/infer.h"
#include "registration.h"
#include "tensor/counted_vector.h"
#include "traditionalml/attribute_list.h"
#include "traditionalml/post_transform.h"
#include "traditionalml/svm.h"

namespace linnet {
namespace {

/// The regression of one row.
struct SvmRegression {
  std::optional<SupportVectors> vectors;  ///< Without vectors, the coefficients are those of a linear function.
  CountedVector<float> coefficients;
  double rho = 0;
  bool one_class = false;
  PostTransform transform = PostTransform::kNone;

  int64_t width() const { return vectors ? vectors->width() : int64_t(coefficients.size()); }
  int64_t kernel_values() const { return vectors ? vectors->count() : 0; }

  /// Computes a row from its kernel values, or from the row itself.
  double compute(const double* values) const {
    double score = dot(values, coefficients.data(), int64_t(coefficients.size())) + rho;
    if (one_class) return score > 0 ? 1 : -1;
    apply(transform, {&score, 1});
    return score;
  }
};

class SvmRegressorKernel final : public Kernel {
 public:
  SvmRegressorKernel(const CompileInput& in, SvmRegression regression)
      : rows_(in), functions_(in.isa()), regression_(std::move(regression)) {}

  void run(KernelContext& context) const override {
    float* y = context.output(0).data<float>();
    const int64_t width = rows_.width(), values = regression_.kernel_values();
    const int64_t cost = width * std::max<int64_t>(1, values);
    rows_.for_each(context, cost, [&](int64_t row, int count, const double* rows, double* kernel_values) {
      const auto& vectors = regression_.vectors;
      if (vectors) vectors->compute(functions_, rows, count, kernel_values);
      for (int i = 0; i < count; ++i) {
        y[row + i] = float(regression_.compute(vectors ? kernel_values + i * values : rows + i * width));
      }
    });
  }

  size_t scratch_bytes() const override {
    return rows_.scratch_bytes(checked_mul(DotKernels::kRows, regression_.kernel_values()));
  }

 private:
  RowBlocks rows_;
  SvmFunctions functions_;
  SvmRegression regression_;
};

/// SVMRegressor: the sum over the support vectors of coefficient * kernel(x, vector), plus rho; without support vectors
/// (n_supports = 0), coefficients . x + rho. With one_class, the result is 1 if that is positive, else -1. Otherwise
/// the transform is applied as the specification states (ONNX Runtime does not apply it).
/// X: float32, float64, int64 or int32 [N, C] or [C].
/// Y: float32 [N, 1].
/// Computed in float64.
/// Source: https://onnx.ai/onnx/operators/onnx_aionnxml_SVMRegressor.html
class SVMRegressor final : public Op {
 public:
  explicit SVMRegressor(const NodeSpec& node) {
    regression_.coefficients = attribute_list<float>(node, "coefficients");
    regression_.one_class = node.attr_or("one_class", false);
    regression_.transform = post_transform_of(node);
    const auto rho = node.attr_or("rho", std::vector<float>{0});
    require_length("rho", rho.size(), 1);
    regression_.rho = rho[0];
    const int64_t count = node.attr_or("n_supports", 0);
    if (count > 0) {
      regression_.vectors.emplace(node, count);
      require_length("coefficients", regression_.coefficients.size(), count);
    }
    if (regression_.coefficients.empty()) throw_value("coefficients", "no values", "given");
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_rows(in[0]);
    if (in[0].has_rank()) merge_dim(in[0].dims->back(), regression_.width(), "features of X and of the model");
    return {Fact(DType::kFloat32, Dims{row_dim(in[0]), 1})};
  }

  KernelPtr compile(const CompileInput& in) const override {
    return std::make_unique<SvmRegressorKernel>(in, regression_);
  }

 private:
  SvmRegression regression_;
};

}  // namespace

LINNET_REGISTER(svm_regressor)(Registry& registry) {
  registry.add<SVMRegressor>("SVMRegressor", {.since = 1, .domain = "ai.onnx.ml"});
}

}  // namespace linnet
