#include <cmath>

#include "elements/dispatch.h"
#include "infer/infer.h"
#include "kernels/binary.h"
#include "kernels/kernels_for.h"
#include "kernels/unary.h"
#include "partition/parallel.h"
#include "registration.h"

namespace linnet {
namespace {

class SwiGLUFloatKernel final : public Kernel {
 public:
  SwiGLUFloatKernel(Isa isa, float alpha)
      : swish_(kernels_for<UnaryKernels>(isa).swish),
        multiply_(kernels_for<BinaryKernels>(isa).mul.vector_vector),
        alpha_(alpha) {}

  void run(KernelContext& context) const override {
    const float *a = context.input(0).data<float>(), *b = context.input(1).data<float>();
    float* y = context.output(0).data<float>();
    parallel_items(context.executor(), context.output(0).size(), 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; i += kBlock) {
        const int64_t n = std::min(kBlock, end - i);
        swish_(a + i, y + i, n, alpha_, 0);
        multiply_(y + i, b + i, y + i, n);
      }
    });
  }
  int in_place(int) const override { return 0; }

 private:
  static constexpr int64_t kBlock = 2048;  // in elements; stays in the first-level cache between the two steps

  UnaryForm swish_;
  BinaryForms::F multiply_;
  float alpha_;
};

template <class T>
class SwiGLUKernel final : public Kernel {
 public:
  explicit SwiGLUKernel(float alpha) : alpha_(T(alpha)) {}

  void run(KernelContext& context) const override {
    const T *a = context.input(0).data<T>(), *b = context.input(1).data<T>();
    T* y = context.output(0).data<T>();
    parallel_items(context.executor(), context.output(0).size(), 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) y[i] = a[i] / (1 + std::exp(-alpha_ * a[i])) * b[i];
    });
  }
  int in_place(int) const override { return 0; }

 private:
  T alpha_;
};

/// SwiGLU: y = a * sigmoid(alpha * a) * b, element-wise. Rounds once.
/// - a, b, y: float16/bfloat16/float32/float64, of one shape
/// - alpha (1)
/// Source: https://onnx.ai/onnx/operators/onnx__SwiGLU.html
class SwiGLU final : public Op {
 public:
  explicit SwiGLU(const NodeSpec& node) : alpha_(node.attr_or("alpha", 1.0f)) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 2);
    require_floating(in[0], "A");
    require_same_dtype(in[0], in[1], "A and B");
    if (!in[0].has_rank() || !in[1].has_rank()) return same_as(in[in[0].has_rank() ? 0 : 1]);
    require_rank(in[1], in[0].rank(), "B");
    Fact y = in[0];
    y.constant = {};
    for (int d = 0; d < y.rank(); ++d)
      (*y.dims)[size_t(d)] = merge_dim(y.dim(d), in[1].dim(d), str("dim ", d, " of A and B"));
    return {y};
  }

  KernelPtr compile(const CompileInput& in) const override {
    if (in.dtype(0) == DType::kFloat32) return std::make_unique<SwiGLUFloatKernel>(in.isa(), alpha_);
    return dispatch_float(in.dtype(0),
                          [&]<class T>() -> KernelPtr { return std::make_unique<SwiGLUKernel<T>>(alpha_); });
  }

 private:
  float alpha_;
};

}  // namespace

LINNET_REGISTER(swiglu)(Registry& registry) { registry.add<SwiGLU>("SwiGLU", {.since = 28}); }

}  // namespace linnet
