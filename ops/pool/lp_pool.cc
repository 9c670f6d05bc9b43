#include <cmath>

#include "elements/dispatch.h"
#include "infer/infer.h"
#include "pool/pool_scalar.h"
#include "registration.h"

namespace linnet {
namespace {

template <class T>
struct PowerSum {
  T p;
  T sum = 0;

  void add(T element) {
    const T value = std::abs(element);
    sum += p == 2 ? value * value : p == 1 ? value : std::pow(value, p);
  }
  T norm() const { return p == 2 ? std::sqrt(sum) : p == 1 ? sum : std::pow(sum, 1 / p); }
};

template <class T>
class LpPoolKernel final : public Kernel {
 public:
  LpPoolKernel(PoolShape shape, float p) : shape_(std::move(shape)), p_(p) {}

  void run(KernelContext& context) const override {
    T* y = context.output(0).data<T>();
    pool_scalar(shape_, context.input(0).data<T>(), PowerSum<T>{.p = p_}, context.executor(),
                [&](int64_t i, const PowerSum<T>& state, int64_t, int64_t) { y[i] = state.norm(); });
  }

 private:
  PoolShape shape_;
  float p_;
};

/// LpPool: the p-norm (sum |x|^p)^(1/p) of each window. GlobalLpPool: that of each channel.
/// X, Y: float16/bfloat16/float/double [N,C,1 to 3 spatial axes]. p: 2 by default; a float before opset 2.
/// Source: https://onnx.ai/onnx/operators/onnx__LpPool.html
/// Source: https://onnx.ai/onnx/operators/onnx__GlobalLpPool.html
class LpPool final : public Op {
 public:
  explicit LpPool(const NodeSpec& node)
      : attributes_(node, node.op_type == "GlobalLpPool"),
        p_(node.opset < 2 ? node.attr_or("p", 2.0f) : float(node.attr_or("p", 2))) {
    if (!(p_ > 0)) throw Error(ErrorKind::kModel, str("p must be positive, got ", p_));
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_floating(in[0], "X");
    return {Fact(in[0].dtype, attributes_.output_dims(in[0]))};
  }

  KernelPtr compile(const CompileInput& in) const override {
    PoolShape shape = attributes_.shape(in.shape(0));
    return dispatch_float(
        in.dtype(0), [&]<class T>() -> KernelPtr { return std::make_unique<LpPoolKernel<T>>(std::move(shape), p_); });
  }

 private:
  PoolAttributes attributes_;
  float p_;
};

}  // namespace

LINNET_REGISTER(lp_pool)(Registry& registry) {
  registry.add<LpPool>("LpPool", {.since = 1});
  registry.add<LpPool>("GlobalLpPool", {.since = 1});
}

}  // namespace linnet
