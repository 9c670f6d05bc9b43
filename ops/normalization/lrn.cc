#include <cmath>

#include "elements/dispatch.h"
#include "infer/infer.h"
#include "kernels/kernels_for.h"
#include "kernels/unary.h"
#include "partition/checkpoints.h"
#include "partition/parallel.h"
#include "partition/parts.h"
#include "registration.h"

namespace linnet {
namespace {

struct Window {
  int64_t n, channels, spatial;
  int64_t before, after;  ///< The number of channels before and after that are in the window.
  double factor;          ///< alpha / size
  float beta, bias;
};

/// The number of consecutive elements of a channel that are computed together.
constexpr int64_t kChannelBlock = 1024;

/// Replaces n values by base^-beta.
template <class T>
void negative_power(const UnaryKernels& kernels, T* base, int64_t n, float beta) {
  if constexpr (std::is_same_v<T, float>) {
    kernels.log(base, base, n, 0, 0);
    kernels.scale(base, base, n, -beta, 0);
    kernels.exp(base, base, n, 0, 0);
  } else {
    for (int64_t i = 0; i < n; ++i) base[i] = std::pow(base[i], -double(beta));
  }
}

template <class T>
class LrnKernel final : public Kernel {
 public:
  LrnKernel(const Window& window, const UnaryKernels& kernels) : w_(window), kernels_(kernels) {}

  void run(KernelContext& context) const override {
    const T* x = context.input(0).template data<T>();
    T* y = context.output(0).template data<T>();
    const int64_t blocks = ceil_div(w_.spatial, kChannelBlock);
    parallel_items(context.executor(), w_.n * w_.channels * blocks, kChannelBlock, [&](int64_t item, int64_t end, int) {
      Checkpoints checkpoints;
      for (; item < end; ++item) run_block(x, y, item / blocks, item % blocks * kChannelBlock, checkpoints);
    });
  }

 private:
  /// row: instance * channels + channel.
  void run_block(const T* x, T* y, int64_t row, int64_t first, Checkpoints& checkpoints) const {
    const int64_t n = std::min(kChannelBlock, w_.spatial - first), channel = row % w_.channels;
    const int64_t begin = row - std::min(channel, w_.before);
    const int64_t end = row + std::min(w_.channels - 1 - channel, w_.after);
    T sum[kChannelBlock] = {};
    for (int64_t c = begin; c <= end; ++c) {
      const T* from = x + c * w_.spatial + first;
      for (int64_t i = 0; i < n; ++i) sum[i] += from[i] * from[i];
      checkpoints.add(n);
    }
    for (int64_t i = 0; i < n; ++i) sum[i] = T(w_.bias) + T(w_.factor) * sum[i];
    negative_power(kernels_, sum, n, w_.beta);
    const T* from = x + row * w_.spatial + first;
    T* to = y + row * w_.spatial + first;
    for (int64_t i = 0; i < n; ++i) to[i] = from[i] * sum[i];
  }

  Window w_;
  const UnaryKernels& kernels_;
};

/// LRN: y = x / (bias + alpha / size * sum of x^2 over neighbouring channels)^beta. The window of `size` channels
/// extends floor((size - 1) / 2) back and ceil((size - 1) / 2) ahead.
/// x, y: float16/bfloat16/float/double [N,C,...].
/// alpha: 1e-4.
/// beta: 0.75.
/// bias: 1.
/// Source: https://onnx.ai/onnx/operators/onnx__LRN.html
class Lrn final : public Op {
 public:
  explicit Lrn(const NodeSpec& node)
      : size_(node.attr<int64_t>("size")),
        alpha_(node.attr_or("alpha", 1e-4f)),
        beta_(node.attr_or("beta", 0.75f)),
        bias_(node.attr_or("bias", 1.0f)) {
    if (size_ < 1) throw Error(ErrorKind::kModel, str("size must be positive, got ", size_));
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_floating(in[0], "input");
    require_rank_at_least(in[0], 2, "input");
    return same_as(in[0]);
  }

  KernelPtr compile(const CompileInput& in) const override {
    const Shape x = in.shape(0);
    const Window window{
        x[0], x[1], x.elements(2, x.rank()), (size_ - 1) / 2, size_ / 2, double(alpha_) / double(size_), beta_, bias_};
    const UnaryKernels& kernels = kernels_for<UnaryKernels>(in.isa());
    return dispatch_float(in.dtype(0),
                          [&]<class T>() -> KernelPtr { return std::make_unique<LrnKernel<T>>(window, kernels); });
  }

 private:
  int64_t size_;
  float alpha_, beta_, bias_;
};

}  // namespace

LINNET_REGISTER(lrn)(Registry& registry) { registry.add<Lrn>("LRN"); }

}  // namespace linnet
