#include "elements/dispatch.h"
#include "math/softmax_axis.h"
#include "op_list.h"

namespace linnet {
namespace {

/// Hardmax: 1 at the first largest value along the axis, 0 elsewhere.
/// x, y: float16/bfloat16/float/double, rank >= 1.   axis: as for Softmax.
/// Source: https://onnx.ai/onnx/operators/onnx__Hardmax.html
class Hardmax final : public SoftmaxAxis {
 public:
  using SoftmaxAxis::SoftmaxAxis;

  KernelPtr compile(const CompileInput& in) const override {
    const Lanes lanes = this->lanes(in.shape(0));
    return dispatch_float(in.dtype(0), [&]<class T>() {
      return make_lane_kernel<T>(lanes, [](const T* x, T* y, int64_t n, int64_t stride) {
        int64_t best = 0;
        for (int64_t i = 1; i < n; ++i) {
          if (x[i * stride] > x[best * stride]) best = i;
        }
        for (int64_t i = 0; i < n; ++i) y[i * stride] = T(i == best ? 1.0f : 0.0f);
      });
    });
  }
};

}  // namespace

void register_hardmax(Registry& registry) { registry.add<Hardmax>("Hardmax"); }

}  // namespace linnet
