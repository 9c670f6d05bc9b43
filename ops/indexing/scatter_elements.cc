#include "indexing/element_walk.h"
#include "indexing/indices.h"
#include "indexing/reduce_row.h"
#include "infer/infer.h"
#include "movement/copy.h"
#include "partition/checkpoints.h"
#include "registration.h"
#include "roofline/counts.h"

namespace linnet {
namespace {

class ScatterElementsKernel final : public Kernel {
 public:
  ScatterElementsKernel(DType dtype, const ElementWalk& walk, const Reduction& reduction)
      : width_(element_bytes(dtype)), walk_(walk), reduction_(reduction) {}

  // Applies updates in order on one thread, so that the last of several to one element wins.
  void run(KernelContext& context) const override {
    const Indices indices(context.input(1));
    Tensor& output = context.output(0);
    copy_tensor(context.input(0), output, context.executor());
    const auto* updates = static_cast<const std::byte*>(context.input(2).raw());
    Checkpoints checkpoints;
    with_elements(indices, [&](const auto* elements) {
      for (int64_t r = 0; r < walk_.rows(); ++r) {
        checkpoints.add(kRowWork);
        if (!update_row(elements, r, updates, output.raw(), checkpoints)) walk_.check(indices);
      }
    });
  }

 private:
  static constexpr int64_t kRowWork = 16, kUpdateWork = 8;

  template <class Index>
  bool update_row(const Index* indices, int64_t r, const std::byte* updates, void* y, Checkpoints& checkpoints) const {
    constexpr int64_t kBlock = 128;
    int64_t at[kBlock], count = 0, last = 0;
    const auto flush = [&] {
      reduction_.at(y, at, updates + (last - count) * width_, count);
      checkpoints.add(count * kUpdateWork);
      count = 0;
    };
    const bool valid = walk_.for_row(indices, r, [&](int64_t i, int64_t element) {
      at[count++] = element;
      last = i + 1;
      if (count == kBlock) flush();
    });
    flush();
    return valid;
  }

  int64_t width_;
  ElementWalk walk_;
  Reduction reduction_;
};

/// ScatterElements (Scatter before opset 11): data, with elements replaced by `updates` or reduced with them. Each
/// update goes to the coordinates of its element of `indices`, with the coordinate of `axis` replaced by the index.
/// data, updates, output: one dtype of a byte or more; numbers or bool with a reduction.
/// indices: int32/int64 of updates' shape, values in [-dim, dim), checked when the model runs.
/// Source: https://onnx.ai/onnx/operators/onnx__ScatterElements.html
class ScatterElements final : public Op {
 public:
  explicit ScatterElements(const NodeSpec& node)
      : axis_(node.attr_or("axis", 0)), reduction_(scatter_reduction(node)) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 3, 3);
    require_dtype_in(in[1], kIndexTypes, "indices");
    require_same_dtype(in[0], in[2], "data and updates");
    require_rank_at_least(in[0], 1, "data");
    if (in[0].has_rank()) require_indices_fit(in[0], in[1], axis_);
    if (in[1].has_rank() && in[2].has_rank()) {
      require_rank(in[2], in[1].rank(), "updates");
      for (int d = 0; d < in[1].rank(); ++d) merge_dim(in[1].dim(d), in[2].dim(d), str("dim ", d, " of updates"));
    }
    return same_as(in[0]);
  }

  Precision computes_in(std::span<const Fact>) const override {
    return reduction_ == ScatterReduction::kNone ? Precision::kAny : Precision::kFloat32;
  }
  int64_t bytes_moved(const NodeValues& v) const override { return bytes_of_scatter(v, 2); }

  KernelPtr compile(const CompileInput& in) const override {
    const ElementWalk walk(in.shape(0), in.shape(1), normalize_axis(axis_, in.rank(0)));
    return std::make_unique<ScatterElementsKernel>(in.dtype(0), walk, reduction_of(reduction_, in.dtype(0)));
  }

 private:
  int64_t axis_;
  ScatterReduction reduction_;
};

}  // namespace

LINNET_REGISTER(scatter_elements)(Registry& registry) {
  registry.add<ScatterElements>("Scatter", {.since = 9});
  registry.add<ScatterElements>("ScatterElements", {.since = 11});
}

}  // namespace linnet
