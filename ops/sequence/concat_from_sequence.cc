#include "movement/axes.h"
#include "movement/strided_copy.h"
#include "registration.h"
#include "sequence/sequence.h"

namespace linnet {
namespace {

class ConcatFromSequenceKernel final : public Kernel {
 public:
  ConcatFromSequenceKernel(int64_t axis, bool new_axis) : axis_(axis), new_axis_(new_axis) {}

  void run(KernelContext& context) const override {
    const std::vector<Tensor>& parts = input_sequence(context, 0).elements;
    if (parts.empty()) throw Error(ErrorKind::kShape, "the sequence is empty");
    const int rank = parts[0].rank() + (new_axis_ ? 1 : 0);
    const int axis = normalize_axis(axis_, rank);
    Tensor& y = context.allocate_output(0, joined_shape(parts, axis));
    const std::vector<int64_t> y_strides = row_major_strides(y.shape());
    int64_t offset = 0;
    for (const Tensor& part : parts) {
      const Tensor x = new_axis_ ? part.reshaped(with_axis(part.shape(), axis, 1)) : part;
      StridedCopy(x.dtype(), x.shape().dims(), row_major_strides(x.shape()), y_strides, 0,
                  offset * y_strides[size_t(axis)])
          .run(x, y, context.executor());
      offset += x.dim(axis);
    }
  }

 private:
  Shape joined_shape(const std::vector<Tensor>& parts, int axis) const {
    Shape joined = new_axis_ ? with_axis(parts[0].shape(), axis, 1) : parts[0].shape();
    joined[axis] = 0;
    for (const Tensor& part : parts) {
      Shape shape = new_axis_ ? with_axis(part.shape(), axis, 1) : part.shape();
      const int64_t size = shape.rank() == joined.rank() ? shape[axis] : 0;
      if (shape.rank() == joined.rank()) shape[axis] = joined[axis];
      if (!(shape == joined)) {
        throw Error(ErrorKind::kShape, str("an element of shape ", part.shape(), " cannot be joined with one of shape ",
                                           parts[0].shape(), " along axis ", axis_));
      }
      joined[axis] = checked_add(joined[axis], size);
    }
    return joined;
  }

  int64_t axis_;
  bool new_axis_;
};

/// ConcatFromSequence: joins the elements of a sequence along `axis` or, with new_axis, stacks them along a new one.
/// input_sequence: not empty, of shapes that are equal except along the axis.
/// axis: in [-r, r) of the result.
/// Source: https://onnx.ai/onnx/operators/onnx__ConcatFromSequence.html
class ConcatFromSequence final : public Op {
 public:
  explicit ConcatFromSequence(const NodeSpec& node)
      : axis_(node.attr<int64_t>("axis")), new_axis_(node.attr_or("new_axis", false)) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    Fact y = sequence_element(in, 0);
    if (is_container(y.dtype)) throw Error(ErrorKind::kType, str("the elements must be tensors, got ", y));
    if (!y.has_rank()) return {y};
    const int axis = normalize_axis(axis_, y.rank() + (new_axis_ ? 1 : 0));
    if (new_axis_) {
      y.dims->insert(y.dims->begin() + axis, Dim());
    } else {
      (*y.dims)[size_t(axis)] = Dim();
    }
    return {y};
  }

  KernelPtr compile(const CompileInput&) const override {
    return std::make_unique<ConcatFromSequenceKernel>(axis_, new_axis_);
  }
  bool accepts_containers() const override { return true; }

 private:
  int64_t axis_;
  bool new_axis_;
};

}  // namespace

LINNET_REGISTER(concat_from_sequence)(Registry& r) { r.add<ConcatFromSequence>("ConcatFromSequence", {.since = 11}); }

}  // namespace linnet
