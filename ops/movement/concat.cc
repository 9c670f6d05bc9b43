#include "infer/infer.h"
#include "infer/prefix_rules.h"
#include "movement/strided_copy.h"
#include "movement/view.h"
#include "registration.h"

namespace linnet {
namespace {

class ConcatKernel final : public Kernel {
 public:
  explicit ConcatKernel(std::vector<StridedCopy> copies) : copies_(std::move(copies)) {}

  void run(KernelContext& context) const override {
    for (size_t i = 0; i < copies_.size(); ++i) {
      copies_[i].run(context.input(int(i)), context.output(0), context.executor());
    }
  }

 private:
  std::vector<StridedCopy> copies_;
};

/// Concat: joins its inputs along `axis`; all other dims are equal.
/// inputs, concat_result: one dtype of a byte or more.
/// axis: in [-r, r). The default of 1 exists only in opset 1.
/// Source: https://onnx.ai/onnx/operators/onnx__Concat.html
class Concat final : public Op {
 public:
  explicit Concat(const NodeSpec& node)
      : axis_(node.opset < 4 ? node.attr_or("axis", 1) : node.attr<int64_t>("axis")) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    if (in.empty()) throw Error(ErrorKind::kModel, "expected one input or more, got none");
    require_inputs(in, int(in.size()), int(in.size()));
    std::optional<Dims> dims;
    for (const Fact& fact : in) {
      require_same_dtype(in[0], fact, "inputs");
      if (fact.has_rank() && !dims) dims = fact.dims;
    }
    if (!dims) return {Fact(in[0].dtype, std::nullopt)};
    const auto axis = size_t(normalize_axis(axis_, int(dims->size())));
    (*dims)[axis] = 0;
    for (size_t i = 0; i < in.size(); ++i) join(*dims, axis, in[i], i);
    return {Fact(in[0].dtype, dims)};
  }

  bool moves(int) const override { return true; }

  /// A Concat along the axis of the rows writes the new rows after those in use.
  bool prefix(Prefix& prefix) const override {
    const int axis = prefix.input_axis(0);
    if (axis < 0 || axis != prefix.output_axis(0) || axis != normalize_axis(axis_, prefix.output(0).rank())) {
      return prefix.carry();
    }
    PrefixGraph& graph = prefix_graph(prefix);
    const Node& node = graph.node();
    if (node.inputs.size() != 2 || !prefix.input(1).concrete()) return false;
    NodeSpec spec = node.spec;
    spec.op_type = "WriteRows";
    spec.domain = kInternalDomain;
    spec.attributes = {{"axis", int64_t{axis}}};
    const ValueId begin = graph.numbers({prefix.input(0).dim(axis)}, Shape{});
    graph.give(0, graph.add(std::move(spec), {graph.now(node.inputs[0]), graph.now(node.inputs[1]), begin}));
    return true;
  }
  KernelPtr compile(const CompileInput& in) const override {
    if (in.num_inputs() == 1) return make_view();
    const std::vector<int64_t> y_strides = row_major_strides(in.output_shape(0));
    const auto axis = size_t(normalize_axis(axis_, in.rank(0)));
    std::vector<StridedCopy> copies;
    int64_t offset = 0;
    for (int i = 0; i < in.num_inputs(); ++i) {
      const Shape x = in.shape(i);
      copies.emplace_back(in.dtype(i), x.dims(), row_major_strides(x), y_strides, 0, offset * y_strides[axis]);
      offset += x[int(axis)];
    }
    return std::make_unique<ConcatKernel>(std::move(copies));
  }

 private:
  static void join(Dims& dims, size_t axis, const Fact& fact, size_t input) {
    if (!fact.has_rank()) {
      dims[axis] = Dim();
      return;
    }
    if (fact.rank() != int(dims.size())) require_rank(fact, int(dims.size()), str("input ", input));
    for (size_t d = 0; d < dims.size(); ++d) {
      const Dim& dim = fact.dim(int(d));
      if (d == axis) {
        dims[d] = checked_add(dims[d], dim);
      } else if (!dim.known() || !certainly_equal(dims[d], dim)) {
        dims[d] = merge_dim(dims[d], dim, str("dim ", d, " of input ", input));
      }
    }
  }

  int64_t axis_;
};

}  // namespace

LINNET_REGISTER(concat)(Registry& registry) { registry.add<Concat>("Concat", {.since = 1}); }

}  // namespace linnet
