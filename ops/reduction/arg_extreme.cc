#include <limits>

#include "elements/dispatch.h"
#include "infer/infer.h"
#include "kernels/by_number.h"
#include "kernels/extremes.h"
#include "kernels/kernels_for.h"
#include "partition/parallel.h"
#include "partition/parts.h"
#include "registration.h"

namespace linnet {
namespace {

class ArgKernel final : public Kernel {
 public:
  ArgKernel(const Shape& shape, int axis, bool last, ExtremeSearch search)
      : outer_(shape.elements(0, axis)),
        n_(shape[axis]),
        inner_(shape.elements(axis + 1, shape.rank())),
        last_(last),
        search_(search) {}

  void run(KernelContext& context) const override {
    const auto* x = static_cast<const std::byte*>(context.input(0).raw());
    const int64_t element_bytes = dtype_bits(context.input(0).dtype()) / 8;
    auto* y = context.output(0).data<int64_t>();
    if (inner_ == 1) {
      return parallel_items(context.executor(), outer_, n_, [&](int64_t row, int64_t end, int) {
        search_(x + row * n_ * element_bytes, y + row, n_, 1, end - row, last_);
      });
    }
    const int64_t blocks = ceil_div(inner_, kSearchColumns);
    parallel_items(context.executor(), outer_ * blocks, n_ * std::min(inner_, kSearchColumns),
                   [&](int64_t block, int64_t end, int) {
                     for (; block < end; ++block) {
                       const int64_t outer = block / blocks, column = block % blocks * kSearchColumns;
                       search_(x + (outer * n_ * inner_ + column) * element_bytes, y + outer * inner_ + column, n_,
                               inner_, std::min(kSearchColumns, inner_ - column), last_);
                     }
                   });
  }

 private:
  int64_t outer_, n_, inner_;
  bool last_;
  ExtremeSearch search_;
};

/// ArgMax, ArgMin: the index of the largest or smallest value along an axis. Among equal values it is the first, or the
/// last with select_last_index.
/// x: numbers, rank >= 1, 1 to 2^31 - 1 of them along the axis.
/// y: int64.
/// axis: 0 by default.
/// keepdims: 1 keeps the axis with size 1.
/// Sources: https://onnx.ai/onnx/operators/onnx__ArgMax.html,
/// https://onnx.ai/onnx/operators/onnx__ArgMin.html
template <bool kMax>
class ArgExtreme final : public Op {
 public:
  explicit ArgExtreme(const NodeSpec& node)
      : axis_(node.attr_or("axis", 0)),
        keep_dims_(node.attr_or("keepdims", true)),
        last_(node.attr_or("select_last_index", false)) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    if (!is_half(in[0].dtype)) dispatch_number(in[0].dtype, []<class T>() {});
    if (!in[0].has_rank()) return {Fact(DType::kInt64, std::nullopt)};
    Dims dims = *in[0].dims;
    const auto axis = size_t(normalize_axis(axis_, in[0].rank()));
    if (dims[axis].known() && (dims[axis].value() == 0 || dims[axis].value() > std::numeric_limits<int32_t>::max())) {
      throw Error(ErrorKind::kShape, str("axis ", axis_, " must have between 1 and 2^31 - 1 values, got ", in[0]));
    }
    if (keep_dims_) {
      dims[axis] = 1;
    } else {
      dims.erase(dims.begin() + int64_t(axis));
    }
    return {Fact(DType::kInt64, dims)};
  }

  KernelPtr compile(const CompileInput& in) const override {
    const ExtremeSearches* search = by_number(kernels_for<ExtremeKernels>(in.isa()), in.dtype(0));
    return std::make_unique<ArgKernel>(in.shape(0), normalize_axis(axis_, in.rank(0)), last_,
                                       kMax ? search->max : search->min);
  }

 private:
  int64_t axis_;
  bool keep_dims_;
  bool last_;
};

}  // namespace

LINNET_REGISTER(arg_extreme)(Registry& registry) {
  registry.add<ArgExtreme<true>>("ArgMax");
  registry.add<ArgExtreme<false>>("ArgMin");
}

}  // namespace linnet
