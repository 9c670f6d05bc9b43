#include <cmath>

#include "elements/dispatch.h"
#include "math/softmax_axis.h"
#include "op_list.h"

namespace linnet {
namespace {

/// LpNormalization: y = x / (sum of |x|^p along the axis)^(1/p); 0 where that norm is 0.
/// x, y: float16/bfloat16/float/double, rank >= 1.   axis: -1.   p: 2, or 1.
/// Source: https://onnx.ai/onnx/operators/onnx__LpNormalization.html
class LpNormalization final : public Op {
 public:
  explicit LpNormalization(const NodeSpec& node) : axis_(node.attr_or("axis", -1)), p_(node.attr_or("p", 2)) {
    if (p_ != 1 && p_ != 2) throw Error(ErrorKind::kModel, str("p must be 1 or 2, got ", p_));
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_floating(in[0], "input");
    if (in[0].has_rank()) normalize_axis(axis_, in[0].rank());
    return same_as(in[0]);
  }

  KernelPtr compile(const CompileInput& in) const override {
    const Shape x = in.shape(0);
    const int axis = normalize_axis(axis_, x.rank());
    const Lanes lanes{x.elements(0, axis), x[axis], x.elements(axis + 1, x.rank())};
    return dispatch_float(in.dtype(0), [&]<class T>() {
      return make_lane_kernel<T>(lanes, [squares = p_ == 2](const T* from, T* to, int64_t n, int64_t stride) {
        double sum = 0;
        for (int64_t i = 0; i < n; ++i) {
          const double v = double(from[i * stride]);
          sum += squares ? v * v : std::abs(v);
        }
        const double norm = squares ? std::sqrt(sum) : sum;
        for (int64_t i = 0; i < n; ++i) {
          const double v = double(from[i * stride]);
          to[i * stride] = T(norm == 0 ? 0 : v / norm);
        }
      });
    });
  }

 private:
  int64_t axis_;
  int64_t p_;
};

}  // namespace

void register_lp_normalization(Registry& registry) { registry.add<LpNormalization>("LpNormalization"); }

}  // namespace linnet
