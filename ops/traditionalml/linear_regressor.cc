#include "infer/infer.h"
#include "kernels/kernel_table.h"
#include "op_list.h"
#include "partition/checkpoints.h"
#include "traditionalml/linear.h"
#include "traditionalml/post_transform.h"

namespace linnet {
namespace {

class LinearRegressorKernel final : public Kernel {
 public:
  LinearRegressorKernel(const CompileInput& in, LinearModel model, PostTransform transform)
      : read_(read_numbers_of(in.dtype(0))),
        dots_(kernel_table(in.isa()).dots),
        rows_(rows_of(in.shape(0))),
        model_(std::move(model)),
        transform_(transform) {}

  void run(KernelContext& context) const override {
    const void* x = context.input(0).raw();
    float* y = context.output(0).data<float>();
    const int64_t targets = model_.scores();
    parallel_items(context.executor(), rows_.count, rows_.width * targets, [&](int64_t begin, int64_t end, int worker) {
      auto* scores = reinterpret_cast<double*>(context.scratch(worker));
      double* rows = scores + DotKernels::kRows * targets;
      Checkpoints checkpoints;
      for (int64_t r = begin; r < end; r += DotKernels::kRows) {
        const int count = int(std::min<int64_t>(DotKernels::kRows, end - r));
        read_(x, r * rows_.width, count * rows_.width, rows);
        model_.compute(dots_, rows, count, scores);
        for (int i = 0; i < count; ++i) apply(transform_, {scores + i * targets, size_t(targets)});
        for (int64_t i = 0; i < count * targets; ++i) y[r * targets + i] = float(scores[i]);
        checkpoints.add(count * targets * (8 + rows_.width));
      }
    });
  }

  size_t scratch_bytes() const override {
    return dtype_bytes(DType::kFloat64, checked_mul(DotKernels::kRows, checked_add(rows_.width, model_.scores())));
  }

 private:
  ReadNumbers read_;
  DotKernels dots_;
  Rows rows_;
  LinearModel model_;
  PostTransform transform_;
};

/// LinearRegressor: Y = post_transform(X * coefficients^T + intercepts), the intercepts 0 where they are absent.
/// The transform is applied as the definition says also to a single target (ONNX Runtime then applies only PROBIT).
/// X: float32, float64, int64 or int32 [N, C] or [C].   Y: float32 [N, targets]. Computed in float64.
/// Source: https://onnx.ai/onnx/operators/onnx_aionnxml_LinearRegressor.html
class LinearRegressor final : public Op {
 public:
  explicit LinearRegressor(const NodeSpec& node)
      : model_(node, node.attr_or("targets", 1)), transform_(post_transform_of(node)) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    model_.check(in[0]);
    return {Fact(DType::kFloat32, Dims{row_dim(in[0]), model_.scores()})};
  }

  KernelPtr compile(const CompileInput& in) const override {
    return std::make_unique<LinearRegressorKernel>(in, model_, transform_);
  }

 private:
  LinearModel model_;
  PostTransform transform_;
};

}  // namespace

void register_linear_regressor(Registry& registry) {
  registry.add<LinearRegressor>("LinearRegressor", {.since = 1, .domain = "ai.onnx.ml"});
}

}  // namespace linnet
