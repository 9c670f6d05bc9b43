#pragma once

#include <algorithm>

#include "infer/infer.h"
#include "math/elementwise.h"

namespace linnet {

/// An operator of one or more inputs of one dtype, all broadcast to one shape.
class VariadicOp : public Op {
 public:
  std::vector<Fact> infer(std::span<const Fact> in) const override {
    const int count = std::max(1, int(in.size()));
    require_inputs(in, count, count);
    for (const Fact& fact : in) require_same_dtype(in[0], fact, "every input");
    return {Fact(in[0].dtype, broadcast_dims(in))};
  }
};

/// y = finish(f(f(x0, x1), x2) ...) of `count` inputs.
template <class T, class F, class G>
InnerLoop fold_loop(int count, F f, G finish) {
  return [count, f, finish](const Operand* x, void* y, int64_t n) {
    constexpr int64_t kBlock = 256;
    T sum[kBlock];
    for (int64_t first = 0; first < n; first += kBlock) {
      const int64_t size = std::min(kBlock, n - first);
      for (int k = 0; k < count; ++k) {
        const T* from = static_cast<const T*>(x[k].data) + (x[k].scalar ? 0 : first);
        const int64_t step = x[k].scalar ? 0 : 1;
        for (int64_t i = 0; i < size; ++i) {
          const T value = from[i * step];
          sum[i] = k == 0 ? value : f(sum[i], value);
        }
      }
      for (int64_t i = 0; i < size; ++i) static_cast<T*>(y)[first + i] = static_cast<T>(finish(sum[i]));
    }
  };
}

template <class T, class F>
InnerLoop fold_loop(int count, F f) {
  return fold_loop<T>(count, f, [](T value) { return value; });
}

}  // namespace linnet
