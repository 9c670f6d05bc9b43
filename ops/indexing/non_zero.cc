#include <array>

#include "elements/dispatch.h"
#include "infer/infer.h"
#include "partition/checkpoints.h"
#include "registration.h"

namespace linnet {
namespace {

template <class T>
class NonZeroKernel final : public Kernel {
 public:
  explicit NonZeroKernel(const Shape& x) : x_(x), elements_(x.elements()) {}

  void run(KernelContext& context) const override {
    const T* x = context.input(0).data<T>();
    Checkpoints checkpoints;
    int64_t count = 0;
    checkpoints.in_parts(elements_, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) count += x[i] != T();
    });
    int64_t* y = context.allocate_output(0, Shape{x_.rank(), count}).data<int64_t>();
    std::array<int64_t, kMaxRank> index{};
    checkpoints.in_parts(elements_, 8 * x_.rank(), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i, advance(index)) {
        if (x[i] == T()) continue;
        for (int d = 0; d < x_.rank(); ++d) y[d * count] = index[size_t(d)];
        ++y;
      }
    });
  }

 private:
  void advance(std::array<int64_t, kMaxRank>& index) const {
    for (int d = x_.rank() - 1; d >= 0 && ++index[size_t(d)] == x_[d]; --d) index[size_t(d)] = 0;
  }

  Shape x_;
  int64_t elements_;
};

/// NonZero: the coordinates of all elements other than zero (false, ""), one column each, in row-major order.
/// X: numbers, bool, string, complex.
/// Y: int64 [r, n]. n is known only when the model runs.
/// Source: https://onnx.ai/onnx/operators/onnx__NonZero.html
class NonZero final : public Op {
 public:
  explicit NonZero(const NodeSpec&) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    return {Fact(DType::kInt64, Dims{in[0].has_rank() ? Dim(in[0].rank()) : Dim(), Dim()})};
  }

  KernelPtr compile(const CompileInput& in) const override {
    return dispatch_any(in.dtype(0),
                        [&]<class T>() -> KernelPtr { return std::make_unique<NonZeroKernel<T>>(in.shape(0)); });
  }
};

}  // namespace

LINNET_REGISTER(non_zero)(Registry& registry) { registry.add<NonZero>("NonZero", {.since = 9}); }

}  // namespace linnet
