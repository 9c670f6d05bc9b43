#include <numeric>

#include "infer/prefix_rules.h"
#include "movement/axes.h"
#include "movement/strided_copy.h"
#include "movement/view.h"
#include "partition/parts.h"
#include "registration.h"

namespace linnet {
namespace {

class SplitKernel final : public Kernel {
 public:
  explicit SplitKernel(std::vector<std::optional<StridedCopy>> copies) : copies_(std::move(copies)) {}

  void run(KernelContext& context) const override {
    for (size_t i = 0; i < copies_.size(); ++i) {
      if (copies_[i]) copies_[i]->run(context.input(0), context.output(int(i)), context.executor());
    }
  }

 private:
  std::vector<std::optional<StridedCopy>> copies_;
};

/// Split: cuts its input along `axis` into one part per output. Parts have the lengths `split`, or are as equal as
/// possible (opset 18 and later allow a smaller last one).
/// input, outputs: one dtype of a byte or more.
/// split: an attribute, or from opset 13 on an int64 input. In opset 1 without the attribute, an input of floats.
/// Source: https://onnx.ai/onnx/operators/onnx__Split.html
class Split final : public Op {
 public:
  explicit Split(const NodeSpec& node)
      : axis_(node.attr_or("axis", 0)),
        outputs_(node.attr_or("num_outputs", node.num_outputs)),
        uneven_(node.opset >= 18),
        counts_(node.opset == 1 && !node.has("split")),
        split_(node, "split", 1, counts_ ? 1 : 13) {
    if (outputs_ < 1 || outputs_ != node.num_outputs) {
      throw Error(ErrorKind::kModel, str("num_outputs is ", outputs_, " but the node has ", node.num_outputs));
    }
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 2);
    const Fact& x = in[0];
    if (!x.has_rank()) return std::vector<Fact>(size_t(outputs_), Fact(x.dtype, std::nullopt));
    const auto axis = size_t(normalize_axis(axis_, x.rank()));
    std::vector<Fact> result;
    for (const Dim& part : parts(x.dim(int(axis)), in)) {
      Dims dims = *x.dims;
      dims[axis] = part;
      result.emplace_back(x.dtype, dims);
    }
    return result;
  }

  bool moves(int input) const override { return input == 0; }
  bool prefix(Prefix& prefix) const override { return prefix.carry(); }
  KernelPtr compile(const CompileInput& in) const override {
    if (outputs_ == 1) return make_view();
    const Shape x = in.shape(0);
    const std::vector<int64_t> x_strides = row_major_strides(x);
    const int axis = normalize_axis(axis_, x.rank());
    std::vector<std::optional<StridedCopy>> copies(static_cast<size_t>(outputs_));
    int64_t offset = 0;
    std::vector<Fact> facts{in.fact(0)};
    if (in.has(1)) facts.push_back(in.fact(1));
    const Dims lengths = parts(x[axis], facts);
    for (int i = 0; i < outputs_; ++i) {
      Shape y = x;
      y[axis] = lengths[size_t(i)].value();
      if (in.has_output(i)) {
        copies[size_t(i)].emplace(in.dtype(0), y.dims(), x_strides, row_major_strides(y),
                                  offset * x_strides[size_t(axis)]);
      }
      offset += y[axis];
    }
    return std::make_unique<SplitKernel>(std::move(copies));
  }

  std::vector<int> value_inputs() const override { return split_.value_inputs(); }

 private:
  Dims parts(const Dim& dim, std::span<const Fact> in) const {
    if (!split_.given(in)) return equal_parts(dim);
    const auto lengths = counts_ && has_input(in, 1) ? counted(in[1]) : split_.dims(in);
    if (!lengths) return Dims(size_t(outputs_));
    check(*lengths, dim);
    return *lengths;
  }

  static std::optional<Dims> counted(const Fact& fact) {
    const auto counts = constant_counts(fact);
    return counts ? std::optional(dims_of(*counts)) : std::nullopt;
  }

  Dims equal_parts(const Dim& dim) const {
    if (!uneven_ && dim.known() && dim.value() % outputs_ != 0) {
      throw Error(ErrorKind::kShape, str("dim ", dim, " does not split into ", outputs_, " equal parts"));
    }
    if (!uneven_) return Dims(size_t(outputs_), floor_div(dim, outputs_));
    const Dim part = ceil_div(dim, outputs_);
    Dims result;
    for (int64_t i = 0; i < outputs_; ++i) result.push_back(max(min(part, dim - part * Dim(i)), 0));
    return result;
  }

  void check(const Dims& lengths, const Dim& dim) const {
    if (int64_t(lengths.size()) != outputs_) {
      throw Error(ErrorKind::kShape,
                  str("split must have one length per output (", outputs_, "), got ", lengths.size()));
    }
    Dim sum = 0;
    for (const Dim& length : lengths) {
      if (length.known() && length.value() < 0) {
        throw Error(ErrorKind::kShape, str("split must not be negative, got ", length));
      }
      learn_at_least(length, 0);
      sum = checked_add(sum, length);
    }
    if (dim.known() && sum.known() && sum.value() != dim.value()) {
      throw Error(ErrorKind::kShape, str("split must add up to dim ", dim, ", got ", sum));
    }
    learn_equal(sum, dim);
  }

  int64_t axis_;
  int64_t outputs_;
  bool uneven_;
  bool counts_;  ///< Whether the lengths may be an input of the input's dtype (opset 1 without the attribute).
  IntsParameter split_;
};

}  // namespace

LINNET_REGISTER(split)(Registry& registry) { registry.add<Split>("Split", {.since = 1}); }

}  // namespace linnet
