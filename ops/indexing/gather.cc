#include <algorithm>

#include "elements/dispatch.h"
#include "indexing/indices.h"
#include "infer/infer.h"
#include "infer/prefix_rules.h"
#include "partition/parallel.h"
#include "registration.h"
#include "roofline/counts.h"

namespace linnet {
namespace {

/// y[o, i, :] = x[o, indices[i], :] with rows of `row` elements.
template <class T>
class GatherKernel final : public Kernel {
 public:
  GatherKernel(const Shape& x, int axis, int64_t indices)
      : outer_(x.elements(0, axis)),
        dim_(x[axis]),
        row_(x.elements(axis + 1, x.rank())),
        axis_(axis),
        offsets_(outer_ > 1 ? indices : 0) {}

  void run(KernelContext& context) const override {
    const Indices indices(context.input(1));
    check_indices(indices, dim_, axis_);
    const auto offset_of = [&](int64_t i) { return indices.wrapped(i, dim_) * row_; };
    if (offsets_ == 0) return gather(context, indices.size(), offset_of);
    auto* offsets = reinterpret_cast<int64_t*>(context.scratch());
    for (int64_t i = 0; i < offsets_; ++i) offsets[i] = offset_of(i);
    gather(context, offsets_, [offsets](int64_t i) { return offsets[i]; });
  }

  size_t scratch_bytes() const override { return dtype_bytes(DType::kInt64, offsets_); }

 private:
  template <class Offset>
  void gather(KernelContext& context, int64_t n, const Offset& offset_of) const {
    const T* x = static_cast<const T*>(context.input(0).raw());
    T* y = static_cast<T*>(context.output(0).raw());
    parallel_items(context.executor(), outer_ * n, row_, [&](int64_t begin, int64_t end, int) {
      int64_t outer = begin / n, i = begin % n;
      for (T* to = y + begin * row_; to < y + end * row_; ++outer, i = 0) {
        const T* from = x + outer * dim_ * row_;
        const int64_t stop = std::min(n, end - outer * n);
        if (row_ == 1) {
          for (; i < stop; ++i) *to++ = from[offset_of(i)];
        } else {
          for (; i < stop; ++i) to = std::copy_n(from + offset_of(i), row_, to);
        }
      }
    });
  }

  int64_t outer_, dim_, row_;
  int axis_;
  int64_t offsets_;  ///< The number of offsets that are computed once, in scratch; 0 if each is used only once.
};

/// Gather: the slices of `data` along `axis` that `indices` specifies. The dims of `indices` replace the axis.
/// data, output: any dtype of a byte or more.
/// indices: int32/int64 in [-dim, dim), checked when the model runs.
/// Source: https://onnx.ai/onnx/operators/onnx__Gather.html
class Gather final : public Op {
 public:
  explicit Gather(const NodeSpec& node) : axis_(node.attr_or("axis", 0)) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 2);
    require_dtype_in(in[1], kIndexTypes, "indices");
    require_rank_at_least(in[0], 1, "data");
    if (!in[0].has_rank() || !in[1].has_rank()) return {Fact(in[0].dtype, std::nullopt)};
    Dims dims = *in[0].dims;
    const auto axis = dims.begin() + normalize_axis(axis_, int(dims.size()));
    dims.insert(dims.erase(axis), in[1].dims->begin(), in[1].dims->end());
    return {Fact(in[0].dtype, dims)};
  }

  bool moves(int input) const override { return input == 0; }

  bool prefix(Prefix& prefix) const override {
    const int axis = normalize_axis(axis_, prefix.input(0).rank()), rows = prefix.input_axis(0);
    if (rows < 0) return false;
    if (rows != axis) return prefix.input_axis(1) < 0 && prefix.carry();
    PrefixGraph& graph = prefix_graph(prefix);
    const std::vector<ValueId>& inputs = graph.node().inputs;
    if (prefix.input_axis(1) >= 0) return counts_rows(graph, inputs[1]) && prefix.carry();
    auto places = elements_of(prefix.input(1));
    if (!places) return false;
    for (Dim& place : *places) {  // Negative indices count from the end of the rows in use.
      if (certainly_at_least(-1, place)) place += prefix.input(0).dim(axis);
      if (!certainly_at_least(place, 0)) return false;
    }
    const ValueId indices = graph.numbers(*places, prefix.input(1).shape());
    if (indices == kNoValue) return false;
    graph.give(0, graph.add(graph.node().spec, {graph.now(inputs[0]), indices}));
    return true;
  }

  int64_t bytes_moved(const NodeValues& v) const override { return bytes_of_selection(v); }

  KernelPtr compile(const CompileInput& in) const override {
    const Shape x = in.shape(0);
    const int axis = normalize_axis(axis_, x.rank());
    const int64_t indices = in.shape(1).elements();
    return dispatch_width(in.dtype(0),
                          [&]<class T>() -> KernelPtr { return std::make_unique<GatherKernel<T>>(x, axis, indices); });
  }

 private:
  int64_t axis_;
};

}  // namespace

LINNET_REGISTER(gather)(Registry& registry) { registry.add<Gather>("Gather", {.since = 1}); }

}  // namespace linnet
