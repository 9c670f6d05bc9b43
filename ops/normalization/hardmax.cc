#include <algorithm>
#include <limits>

#include "elements/dispatch.h"
#include "kernels/by_number.h"
#include "kernels/extremes.h"
#include "kernels/kernels_for.h"
#include "normalization/softmax_axis.h"
#include "partition/parts.h"
#include "registration.h"

namespace linnet {
namespace {

/// Finds the largest values of a block of lanes, then writes the block.
template <class T>
class HardmaxKernel final : public Kernel {
 public:
  HardmaxKernel(const Lanes& lanes, ExtremeSearch search) : lanes_(lanes), search_(search) {}

  void run(KernelContext& context) const override {
    const T* x = context.input(0).data<T>();
    T* y = context.output(0).data<T>();
    if (context.output(0).size() == 0) return;
    // A block consists of adjacent columns of a matrix, or of rows.
    const int64_t inner = lanes_.inner, most = std::min(kSearchColumns, inner > 1 ? inner : lanes_.outer);
    const int64_t blocks = ceil_div(inner > 1 ? inner : lanes_.outer, most), outer = inner > 1 ? lanes_.outer : 1;
    parallel_items(context.executor(), outer * blocks, lanes_.n * most, [&](int64_t block, int64_t end, int) {
      for (; block < end; ++block) {
        const int64_t lane = block % blocks * most;
        if (inner > 1) {
          const int64_t first = block / blocks * lanes_.n * inner + lane;
          mark_columns(x + first, y + first, std::min(most, inner - lane));
        } else {
          mark_rows(x + lane * lanes_.n, y + lane * lanes_.n, std::min(most, lanes_.outer - lane));
        }
      }
    });
  }
  int in_place(int) const override { return 0; }

 private:
  void mark_columns(const T* x, T* y, int64_t columns) const {
    int64_t found[kSearchColumns];
    search_(x, found, lanes_.n, lanes_.inner, columns, false);
    for (int64_t i = 0; i < lanes_.n; ++i) std::fill_n(y + i * lanes_.inner, columns, T(0));
    for (int64_t c = 0; c < columns; ++c) y[found[c] * lanes_.inner + c] = T(1);
  }

  void mark_rows(const T* x, T* y, int64_t rows) const {
    int64_t found[kSearchColumns];
    search_(x, found, lanes_.n, 1, rows, false);
    std::fill_n(y, rows * lanes_.n, T(0));
    for (int64_t r = 0; r < rows; ++r) y[r * lanes_.n + found[r]] = T(1);
  }

  Lanes lanes_;
  ExtremeSearch search_;
};

/// Hardmax: 1 at the first largest value along the axis, 0 elsewhere. NaN is larger than any number.
/// x, y: float16/bfloat16/float/double, rank >= 1, less than 2^31 values along the axis.
/// axis: as for Softmax.
/// Source: https://onnx.ai/onnx/operators/onnx__Hardmax.html
class Hardmax final : public SoftmaxAxis {
 public:
  using SoftmaxAxis::SoftmaxAxis;

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    std::vector<Fact> out = SoftmaxAxis::infer(in);
    if (in[0].concrete() && lanes(in[0].shape()).n > std::numeric_limits<int32_t>::max()) {
      throw Error(ErrorKind::kShape, str("there must be less than 2^31 values along the axis, got ", in[0]));
    }
    return out;
  }

  KernelPtr compile(const CompileInput& in) const override {
    const Lanes lanes = this->lanes(in.shape(0));
    return dispatch_float(in.dtype(0), [&]<class T>() -> KernelPtr {
      return std::make_unique<HardmaxKernel<T>>(lanes,
                                                by_number(kernels_for<ExtremeKernels>(in.isa()), dtype_of<T>)->max);
    });
  }
};

}  // namespace

LINNET_REGISTER(hardmax)(Registry& registry) { registry.add<Hardmax>("Hardmax"); }

}  // namespace linnet
