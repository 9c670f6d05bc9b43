#include <algorithm>

#include "indexing/index_tuples.h"
#include "indexing/reduce_row.h"
#include "infer/infer.h"
#include "movement/copy.h"
#include "partition/checkpoints.h"
#include "registration.h"
#include "roofline/counts.h"

namespace linnet {
namespace {

class ScatterNDKernel final : public Kernel {
 public:
  ScatterNDKernel(DType dtype, const IndexTuples& tuples, const Reduction& reduction)
      : width_(element_bytes(dtype)), tuples_(tuples), reduction_(reduction) {}

  // Applies updates in order on one thread, so that the last of several to one slice wins.
  void run(KernelContext& context) const override {
    constexpr int64_t kBlock = 128;
    const Indices indices(context.input(1));
    Tensor& output = context.output(0);
    copy_tensor(context.input(0), output, context.executor());
    const auto* updates = static_cast<const std::byte*>(context.input(2).raw());
    auto* y = static_cast<std::byte*>(output.raw());
    const int64_t slice = tuples_.slice();
    int64_t at[kBlock];
    Checkpoints checkpoints;
    for (int64_t t = 0; t < tuples_.tuples(); t += kBlock, updates += kBlock * slice * width_) {
      const int64_t n = std::min(kBlock, tuples_.tuples() - t);
      tuples_.locate(indices, t, n, at);
      if (slice == 1) {
        reduction_.at(y, at, updates, n);
      } else {
        for (int64_t i = 0; i < n; ++i) {
          reduction_.row(y + at[i] * width_, updates + i * slice * width_, slice);
          checkpoints.add(slice);
        }
      }
      checkpoints.add(n * kTupleWork);
    }
  }

 private:
  static constexpr int64_t kTupleWork = 16;

  int64_t width_;
  IndexTuples tuples_;
  Reduction reduction_;
};

/// ScatterND: data, with the slices that the index tuples in the last dim of `indices` specify replaced by `updates` or
/// reduced with them.
/// data, updates, output: one dtype of a byte or more; numbers or bool with a reduction.
/// indices: int64 (int32 is accepted too), checked when the model runs.
/// updates: indices.dims[:-1] + data.dims[k:].
/// Source: https://onnx.ai/onnx/operators/onnx__ScatterND.html
class ScatterND final : public Op {
 public:
  explicit ScatterND(const NodeSpec& node) : reduction_(scatter_reduction(node)) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 3, 3);
    require_same_dtype(in[0], in[2], "data and updates");
    const auto slices = infer_index_tuples(in[0], in[1], 0);
    if (slices && in[2].has_rank()) {
      require_rank(in[2], int(slices->size()), "updates");
      for (int d = 0; d < in[2].rank(); ++d)
        merge_dim((*slices)[size_t(d)], in[2].dim(d), str("dim ", d, " of updates"));
    }
    return same_as(in[0]);
  }

  Precision computes_in(std::span<const Fact>) const override {
    return reduction_ == ScatterReduction::kNone ? Precision::kAny : Precision::kFloat32;
  }
  int64_t bytes_moved(const NodeValues& v) const override { return bytes_of_scatter(v, 2); }

  KernelPtr compile(const CompileInput& in) const override {
    return std::make_unique<ScatterNDKernel>(in.dtype(0), IndexTuples(in.shape(0), in.shape(1), 0),
                                             reduction_of(reduction_, in.dtype(0)));
  }

 private:
  ScatterReduction reduction_;
};

}  // namespace

LINNET_REGISTER(scatter_nd)(Registry& registry) { registry.add<ScatterND>("ScatterND", {.since = 11}); }

}  // namespace linnet
