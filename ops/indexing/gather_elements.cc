#include "elements/dispatch.h"
#include "indexing/element_walk.h"
#include "indexing/indices.h"
#include "infer/infer.h"
#include "partition/parallel.h"
#include "registration.h"
#include "roofline/counts.h"

namespace linnet {
namespace {

template <class T>
class GatherElementsKernel final : public Kernel {
 public:
  explicit GatherElementsKernel(const ElementWalk& walk) : walk_(walk) {}

  void run(KernelContext& context) const override {
    const Indices indices(context.input(1));
    const T* x = static_cast<const T*>(context.input(0).raw());
    T* y = static_cast<T*>(context.output(0).raw());
    with_elements(indices, [&](const auto* elements) {
      parallel_items(context.executor(), walk_.rows(), walk_.row(), [&](int64_t begin, int64_t end, int) {
        for (int64_t r = begin; r < end; ++r) {
          const auto take = [=](int64_t i, int64_t from) { y[i] = x[from]; };
          if (!walk_.for_row(elements, r, take)) walk_.check(indices);
        }
      });
    });
  }

 private:
  ElementWalk walk_;
};

/// GatherElements: for each element of `indices`, data's element at the same coordinates, with the coordinate of `axis`
/// replaced by the index.
/// data, output: any dtype of a byte or more.
/// indices: int32/int64, of data's rank, no dim larger than data's except that of the axis, values in [-dim, dim),
/// checked when the model runs.
/// Source: https://onnx.ai/onnx/operators/onnx__GatherElements.html
class GatherElements final : public Op {
 public:
  explicit GatherElements(const NodeSpec& node) : axis_(node.attr_or("axis", 0)) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 2);
    require_dtype_in(in[1], kIndexTypes, "indices");
    require_rank_at_least(in[0], 1, "data");
    if (in[0].has_rank()) require_indices_fit(in[0], in[1], axis_);
    return {Fact(in[0].dtype, in[1].dims)};
  }

  bool moves(int input) const override { return input == 0; }
  int64_t bytes_moved(const NodeValues& v) const override { return bytes_of_selection(v); }

  KernelPtr compile(const CompileInput& in) const override {
    const ElementWalk walk(in.shape(0), in.shape(1), normalize_axis(axis_, in.rank(0)));
    return dispatch_width(in.dtype(0),
                          [&]<class T>() -> KernelPtr { return std::make_unique<GatherElementsKernel<T>>(walk); });
  }

 private:
  int64_t axis_;
};

}  // namespace

LINNET_REGISTER(gather_elements)(Registry& registry) { registry.add<GatherElements>("GatherElements", {.since = 11}); }

}  // namespace linnet
