#include "infer/infer.h"
#include "op_list.h"
#include "partition/parallel.h"
#include "tensor/copy.h"
#include "tensor/index_tuples.h"

namespace linnet {
namespace {

class GatherNDKernel final : public Kernel {
 public:
  GatherNDKernel(DType dtype, const IndexTuples& tuples)
      : copy_(copy_row_of(dtype)), width_(element_bytes(dtype)), tuples_(tuples) {}

  void run(KernelContext& context) const override {
    const Indices indices(context.input(1));
    tuples_.check(indices);
    const auto* x = static_cast<const std::byte*>(context.input(0).raw());
    auto* y = static_cast<std::byte*>(context.output(0).raw());
    const int64_t slice = tuples_.slice();
    parallel_items(context.executor(), tuples_.tuples(), slice, [&](int64_t begin, int64_t end, int) {
      for (int64_t t = begin; t < end; ++t) {
        copy_(x + tuples_.offset(indices, t) * width_, 1, y + t * slice * width_, 1, slice);
      }
    });
  }

 private:
  CopyRow copy_;
  int64_t width_;
  IndexTuples tuples_;
};

/// GatherND: the slices of `data` that the index tuples in the last dim of `indices` name.
/// data, output: any dtype of a byte or more. indices: int64 (int32 is taken too), checked when the model runs.
/// batch_dims: leading dims that data and indices share, from opset 12 on.
/// Source: https://onnx.ai/onnx/operators/onnx__GatherND.html
class GatherND final : public Op {
 public:
  explicit GatherND(const NodeSpec& node) : batch_dims_(node.attr_or("batch_dims", 0)) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 2);
    return {Fact(in[0].dtype, infer_index_tuples(in[0], in[1], batch_dims_))};
  }

  Precision computes_in(std::span<const Fact>) const override { return Precision::kAny; }
  KernelPtr compile(const CompileInput& in) const override {
    return std::make_unique<GatherNDKernel>(in.dtype(0), IndexTuples(in.shape(0), in.shape(1), int(batch_dims_)));
  }

 private:
  int64_t batch_dims_;
};

}  // namespace

void register_gather_nd(Registry& registry) { registry.add<GatherND>("GatherND", {.since = 11}); }

}  // namespace linnet
