#include <algorithm>

#include "elements/dispatch.h"
#include "indexing/index_tuples.h"
#include "infer/infer.h"
#include "infer/prefix_rules.h"
#include "partition/parallel.h"
#include "registration.h"
#include "roofline/counts.h"

namespace linnet {
namespace {

template <class T>
class GatherNDKernel final : public Kernel {
 public:
  explicit GatherNDKernel(const IndexTuples& tuples) : tuples_(tuples) {}

  void run(KernelContext& context) const override {
    const Indices indices(context.input(1));
    const auto* x = static_cast<const T*>(context.input(0).raw());
    auto* y = static_cast<T*>(context.output(0).raw());
    parallel_items(context.executor(), tuples_.tuples(), tuples_.slice(), [&](int64_t begin, int64_t end, int) {
      int64_t offsets[kBlock];
      for (int64_t n = 0; begin < end; begin += n) {
        n = std::min(kBlock, end - begin);
        tuples_.locate(indices, begin, n, offsets);
        take(x, offsets, n, y + begin * tuples_.slice());
      }
    });
  }

 private:
  static constexpr int64_t kBlock = 128;

  void take(const T* x, const int64_t* offsets, int64_t n, T* y) const {
    const int64_t slice = tuples_.slice();
    if (slice == 1) {
      for (int64_t t = 0; t < n; ++t) y[t] = x[offsets[t]];
    } else {
      for (int64_t t = 0; t < n; ++t) std::copy_n(x + offsets[t], slice, y + t * slice);
    }
  }

  IndexTuples tuples_;
};

/// GatherND: the slices of `data` that the index tuples in the last dim of `indices` specify.
/// data, output: any dtype of a byte or more.
/// indices: int64 (int32 is accepted too), checked when the model runs.
/// batch_dims: the number of leading dims that data and indices share, from opset 12 on.
/// Source: https://onnx.ai/onnx/operators/onnx__GatherND.html
class GatherND final : public Op {
 public:
  explicit GatherND(const NodeSpec& node) : batch_dims_(node.attr_or("batch_dims", 0)) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 2);
    return {Fact(in[0].dtype, infer_index_tuples(in[0], in[1], batch_dims_))};
  }

  bool moves(int input) const override { return input == 0; }

  /// Carries the node if a Concat joins the indices from one part per axis, as exporters write them. The part for the
  /// axis of the rows must be the numbers of the rows. The other parts must not depend on the number of rows.
  bool prefix(Prefix& prefix) const override {
    const PrefixGraph& graph = prefix_graph(prefix);
    const Node* parts = graph.graph().producer(graph.node().inputs[1]);
    const int rank = prefix.input(1).rank();
    if (prefix.input_axis(1) < 0 || batch_dims_ != 0 || !parts || parts->spec.op_type != "Concat" ||
        normalize_axis(parts->spec.attr_or("axis", 1), rank) != rank - 1) {
      return false;
    }
    const int rows = prefix.input_axis(0);
    if (rows >= int(parts->inputs.size())) return false;
    for (int i = 0; i < int(parts->inputs.size()); ++i) {
      const ValueId part = parts->inputs[size_t(i)];
      if (!certainly_equal(graph.graph().fact(part).dim(rank - 1), 1)) return false;
      const bool same_for_all = graph.graph().fact(graph.origin(part)).concrete();
      if (i == rows ? !counts_rows(graph, part) : !same_for_all) return false;
    }
    return prefix.carry();
  }
  int64_t bytes_moved(const NodeValues& v) const override { return bytes_of_selection(v); }

  KernelPtr compile(const CompileInput& in) const override {
    const IndexTuples tuples(in.shape(0), in.shape(1), int(batch_dims_));
    return dispatch_width(in.dtype(0),
                          [&]<class T>() -> KernelPtr { return std::make_unique<GatherNDKernel<T>>(tuples); });
  }

 private:
  int64_t batch_dims_;
};

}  // namespace

LINNET_REGISTER(gather_nd)(Registry& registry) { registry.add<GatherND>("GatherND", {.since = 11}); }

}  // namespace linnet
