#include "elements/dispatch.h"
#include "infer/checked_values.h"
#include "infer/infer.h"
#include "movement/copy.h"
#include "partition/checkpoints.h"
#include "registration.h"

namespace linnet {
namespace {

using ReadInt = int64_t (*)(const void* data, int64_t i);

/// Reads number i of the dtype as an integer. Fractions are truncated. A number outside int64 becomes INT64_MIN.
ReadInt read_int_of(DType dtype) {
  const auto read = []<class T>() -> ReadInt {
    return [](const void* data, int64_t i) {
      const auto value = std::conditional_t<std::is_same_v<T, Half>, float, T>(static_cast<const T*>(data)[i]);
      if constexpr (std::is_floating_point_v<decltype(value)>) {
        if (!(value >= -0x1p63f && value < 0x1p63f)) return INT64_MIN;
      }
      return static_cast<int64_t>(value);
    };
  };
  return dtype == DType::kFloat16 ? read.operator()<Half>() : dispatch_number(dtype, read);
}

class OneHotKernel final : public Kernel {
 public:
  OneHotKernel(DType indices, DType values, const Shape& y, int axis, bool wrap)
      : read_(read_int_of(indices)),
        copy_(copy_row_of(values)),
        width_(element_bytes(values)),
        depth_(y[axis]),
        inner_(y.elements(axis + 1, y.rank())),
        wrap_(wrap) {}

  void run(KernelContext& context) const override {
    const Tensor& indices = context.input(0);
    const auto* values = static_cast<const std::byte*>(context.input(2).raw());
    Tensor& output = context.output(0);
    auto* y = static_cast<std::byte*>(output.raw());
    fill_tensor(context.input(2), output, context.executor());
    Checkpoints checkpoints;
    for (int64_t i = 0, n = indices.size(); i < n; ++i) {
      checkpoints.add(kIndexWork);
      int64_t index = read_(indices.raw(), i);
      if (index < 0 && index >= -depth_ && wrap_) index += depth_;
      if (index < 0 || index >= depth_) continue;
      const int64_t target = (i / inner_ * depth_ + index) * inner_ + i % inner_;
      copy_(values + width_, 0, y + target * width_, 1, 1);
    }
  }

 private:
  static constexpr int64_t kIndexWork = 8;

  ReadInt read_;
  CopyRow copy_;
  int64_t width_, depth_, inner_;
  bool wrap_;
};

/// OneHot: each index becomes a row of `depth` elements along a new `axis`. The row is values[1] at the index and
/// values[0] elsewhere. It is values[0] throughout if the index is outside [-depth, depth) ([0, depth) before opset
/// 11).
/// indices, depth (one element): numbers.
/// values: [2], any dtype of a byte or more, which is also the output's.
/// Source: https://onnx.ai/onnx/operators/onnx__OneHot.html
class OneHot final : public Op {
 public:
  explicit OneHot(const NodeSpec& node) : axis_(node.attr_or("axis", -1)), wrap_(node.opset >= 11) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 3, 3);
    require_rank(in[2], 1, "values");
    if (in[2].has_rank()) merge_dim(in[2].dim(0), 2, "dim 0 of values");
    if (!in[0].has_rank()) return {Fact(in[2].dtype, std::nullopt)};
    Dims dims = *in[0].dims;
    dims.insert(dims.begin() + normalize_axis(axis_, in[0].rank() + 1), depth(in[1]));
    return {Fact(in[2].dtype, dims)};
  }

  KernelPtr compile(const CompileInput& in) const override {
    const int axis = normalize_axis(axis_, in.rank(0) + 1);
    return std::make_unique<OneHotKernel>(in.dtype(0), in.dtype(2), in.output_shape(0), axis, wrap_);
  }

  std::vector<int> value_inputs() const override { return {1}; }

 private:
  static Dim depth(const Fact& fact) {
    if (!fact.constant && is_followed(fact.dtype)) {
      const auto depths = determined_ints(fact);
      return depths && depths->size() == 1 ? depths->front() : Dim();
    }
    if (!fact.constant) return {};
    require_one_element(fact, "depth");
    const int64_t value = read_int_of(fact.dtype)(fact.constant.raw(), 0);
    if (value < 0) throw Error(ErrorKind::kShape, str("depth must not be negative, got ", value));
    return value;
  }

  int64_t axis_;
  bool wrap_;
};

}  // namespace

LINNET_REGISTER(one_hot)(Registry& registry) { registry.add<OneHot>("OneHot", {.since = 9}); }

}  // namespace linnet
