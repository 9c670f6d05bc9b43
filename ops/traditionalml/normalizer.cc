#include <cmath>
#include <functional>

#include "elements/dispatch.h"
#include "infer/infer.h"
#include "kernels/kernels_for.h"
#include "kernels/row_norms.h"
#include "partition/parallel.h"
#include "registration.h"
#include "traditionalml/feature_rows.h"

namespace linnet {
namespace {

enum class Norm { kMax, kL1, kL2 };

Norm norm_from_name(const std::string& name) {
  if (name == "MAX") return Norm::kMax;
  if (name == "L1") return Norm::kL1;
  if (name == "L2") return Norm::kL2;
  throw_value("norm", "'" + name + "'", "MAX, L1 or L2");
}

/// Joins the terms of a row in several partial results, because each join depends on the one before. Each starts at
/// `first`.
template <class T, class Term, class Join>
double joined(const T* x, int64_t n, double first, Term term, Join join) {
  double a = first, b = first, c = first, d = first;
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    a = join(a, term(double(x[i])));
    b = join(b, term(double(x[i + 1])));
    c = join(c, term(double(x[i + 2])));
    d = join(d, term(double(x[i + 3])));
  }
  for (; i < n; ++i) a = join(a, term(double(x[i])));
  return join(join(a, b), join(c, d));
}

template <class T>
double norm_of(Norm norm, const T* x, int64_t n) {
  if (norm == Norm::kL1)
    return joined(
        x, n, 0, [](double v) { return std::abs(v); }, std::plus<>());
  if (norm == Norm::kL2)
    return std::sqrt(joined(
        x, n, 0, [](double v) { return v * v; }, std::plus<>()));
  if (n == 0) return 0;
  return joined(x, n, double(x[0]), std::identity(), [](double v, double w) { return v < w ? w : v; });
}

template <class T>
class NormalizerKernel final : public Kernel {
 public:
  NormalizerKernel(const Rows& rows, Norm norm) : rows_(rows), norm_(norm) {}

  void run(KernelContext& context) const override {
    const T* x = context.input(0).data<T>();
    float* y = context.output(0).data<float>();
    parallel_items(context.executor(), rows_.count, rows_.width, [&](int64_t row, int64_t end, int) {
      for (; row < end; ++row) normalize(x + row * rows_.width, y + row * rows_.width);
    });
  }

 private:
  void normalize(const T* x, float* __restrict y) const {
    const double norm = norm_of(norm_, x, rows_.width), factor = norm == 0 ? 1 : 1 / norm;
    if (std::isinf(factor)) {
      for (int64_t i = 0; i < rows_.width; ++i) y[i] = float(double(x[i]) / norm);
    } else {
      for (int64_t i = 0; i < rows_.width; ++i) y[i] = float(double(x[i]) * factor);
    }
  }

  Rows rows_;
  Norm norm_;
};

/// The same for float32, by SIMD kernels.
class FloatNormalizerKernel final : public Kernel {
 public:
  FloatNormalizerKernel(const Rows& rows, RowNormKernels::Rows normalize) : rows_(rows), normalize_(normalize) {}

  void run(KernelContext& context) const override {
    const float* x = context.input(0).data<float>();
    float* y = context.output(0).data<float>();
    parallel_items(context.executor(), rows_.count, rows_.width, [&](int64_t row, int64_t end, int) {
      normalize_(x + row * rows_.width, end - row, rows_.width, y + row * rows_.width);
    });
  }

 private:
  Rows rows_;
  RowNormKernels::Rows normalize_;
};

/// Normalizer: divides each row by its largest element (MAX), by the sum of its magnitudes (L1; ONNX Runtime and ONNX's
/// reference implementation read "sum(X)" in this way) or by its Euclidean length (L2). Rows with divisor 0 are
/// unchanged.
/// X: float32, float64, int64 or int32 [N, C] or [C].
/// Y: float32.
/// Computed in float64.
/// Source: https://onnx.ai/onnx/operators/onnx_aionnxml_Normalizer.html
class Normalizer final : public Op {
 public:
  explicit Normalizer(const NodeSpec& node) : norm_(norm_from_name(node.attr_or("norm", "MAX"))) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_rows(in[0]);
    return {Fact(DType::kFloat32, in[0].dims)};
  }

  KernelPtr compile(const CompileInput& in) const override {
    const Rows rows = rows_of(in.shape(0));
    if (in.dtype(0) == DType::kFloat32) {
      const auto& kernels = kernels_for<RowNormKernels>(in.isa());
      return std::make_unique<FloatNormalizerKernel>(rows, norm_ == Norm::kMax  ? kernels.max
                                                           : norm_ == Norm::kL1 ? kernels.l1
                                                                                : kernels.l2);
    }
    return dispatch_number(in.dtype(0),
                           [&]<class T>() -> KernelPtr { return std::make_unique<NormalizerKernel<T>>(rows, norm_); });
  }

 private:
  Norm norm_;
};

}  // namespace

LINNET_REGISTER(normalizer)(Registry& registry) {
  registry.add<Normalizer>("Normalizer", {.since = 1, .domain = "ai.onnx.ml"});
}

}  // namespace linnet
