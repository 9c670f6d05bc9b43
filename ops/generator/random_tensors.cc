#include <algorithm>
#include <numbers>

#include "elements/dispatch.h"
#include "generator/random.h"
#include "infer/dtype_attribute.h"
#include "infer/infer.h"
#include "kernels/kernels_for.h"
#include "kernels/number_unary.h"
#include "kernels/random.h"
#include "partition/parallel.h"
#include "registration.h"

namespace linnet {
namespace {

/// y = offset + scale * r, where r is a random number of N(0, 1) or uniform in [0, 1).
struct Distribution {
  bool normal;
  double offset, scale;
};

template <class T>
class RandomTensorKernel final : public RandomKernel {
 public:
  RandomTensorKernel(std::optional<float> seed, const Distribution& distribution, Isa isa)
      : RandomKernel(seed),
        distribution_(distribution),
        random_(kernels_for<RandomKernels>(isa)),
        doubles_(kernels_for<NumberUnaryKernels>(isa).doubles) {}

 private:
  void fill(KernelContext& context, const RandomStream& stream) const override {
    T* y = context.output(0).data<T>();
    const Distribution& d = distribution_;
    parallel_items(context.executor(), context.output(0).size(), 8, [&](int64_t begin, int64_t end, int) {
      double r[kBlock], v[kBlock];
      for (int64_t first = begin; first < end; first += kBlock) {
        const int64_t n = std::min(kBlock, end - first);
        random_.uniform_pairs(stream.seed, stream.run, uint64_t(first), n, r, v);
        if (d.normal) make_normal(r, v, n);
        for (int64_t i = 0; i < n; ++i) y[first + i] = stored<T>(d.offset + d.scale * r[i]);
      }
    });
  }

  /// Converts pairs of uniform numbers to normal ones by Box and Muller's method: u becomes numbers of N(0, 1).
  void make_normal(double* u, double* v, int64_t n) const {
    const auto apply = [n](NumberFunction function, double* x) {
      const void* operand = x;
      function(&operand, x, n);
    };
    for (int64_t i = 0; i < n; ++i) u[i] = 1 - u[i];
    apply(doubles_.log, u);
    for (int64_t i = 0; i < n; ++i) u[i] *= -2;
    apply(doubles_.sqrt, u);
    for (int64_t i = 0; i < n; ++i) v[i] *= 2 * std::numbers::pi;
    apply(doubles_.cos, v);
    for (int64_t i = 0; i < n; ++i) u[i] *= v[i];
  }

  static constexpr int64_t kBlock = 256;

  Distribution distribution_;
  RandomKernels random_;
  DoubleFunctions doubles_;
};

Distribution distribution_of(const NodeSpec& node) {
  if (node.op_type.starts_with("RandomNormal")) {
    return {true, node.attr_or("mean", 0.0f), node.attr_or("scale", 1.0f)};
  }
  const double low = node.attr_or("low", 0.0f), high = node.attr_or("high", 1.0f);
  return {false, low, high - low};
}

/// RandomNormal, RandomUniform: random numbers of N(mean, scale^2), or uniform in [low, high) before rounding to the
/// dtype. The shape is an attribute. RandomNormalLike, RandomUniformLike: the same with the shape of the input, of any
/// dtype. With a seed, run n of every context gives the same numbers.
/// - output: float16/bfloat16/float/double, of the attribute dtype, else of the input's dtype, else float
/// Source: https://onnx.ai/onnx/operators/onnx__RandomNormal.html (RandomUniform, RandomNormalLike, RandomUniformLike)
class RandomTensor final : public Op {
 public:
  explicit RandomTensor(const NodeSpec& node)
      : distribution_(distribution_of(node)), seed_(seed_attribute(node)), dtype_(dtype_attribute(node, "dtype")) {
    if (!node.op_type.ends_with("Like")) shape_ = Shape(node.attr<std::vector<int64_t>>("shape"));
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    const int inputs = shape_ ? 0 : 1;
    require_inputs(in, inputs, inputs);
    const DType fallback = shape_ ? DType::kFloat32 : in[0].dtype;
    const Fact result(dtype_ == DType::kUndefined ? fallback : dtype_, std::nullopt);
    require_floating(result, "output");
    return {shape_ ? Fact(result.dtype, *shape_) : Fact(result.dtype, in[0].dims)};
  }

  KernelPtr compile(const CompileInput& in) const override {
    return dispatch_stored(in.output_dtype(0), [&]<class T>() -> KernelPtr {
      return std::make_unique<RandomTensorKernel<T>>(seed_, distribution_, in.isa());
    });
  }

  bool deterministic() const override { return false; }

 private:
  Distribution distribution_;
  std::optional<float> seed_;
  DType dtype_;
  std::optional<Shape> shape_;
};

}  // namespace

LINNET_REGISTER(random_tensors)(Registry& registry) {
  for (const char* name : {"RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"}) {
    registry.add<RandomTensor>(name, {.since = 1});
  }
}

}  // namespace linnet
