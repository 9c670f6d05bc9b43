#include <numeric>

#include "movement/axes.h"
#include "movement/copy.h"
#include "movement/pad_kernels.h"
#include "movement/view.h"
#include "registration.h"

namespace linnet {
namespace {

/// CenterCropPad: each axis is cropped to its middle part, or padded with zeros on both sides, to the dim in `shape`.
/// If the difference is odd, the extra element is at the end.
/// input_data, output_data: any dtype of a byte or more.
/// shape: int32/int64, one dim for each axis in the attribute `axes` (all axes if absent).
/// Source: https://onnx.ai/onnx/operators/onnx__CenterCropPad.html
class CenterCropPad final : public Op {
 public:
  explicit CenterCropPad(const NodeSpec& node) {
    if (const auto* axes = node.find<std::vector<int64_t>>("axes")) axes_ = *axes;
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 2);
    const Fact& x = in[0];
    if (!x.has_rank()) return {Fact(x.dtype, std::nullopt)};
    const std::vector<int> axes = normalized(x.rank());
    const auto shape = determined_ints(in[1]);
    if (shape && shape->size() != axes.size()) {
      throw Error(ErrorKind::kShape, str("shape must have ", axes.size(), " values, got ", shape->size()));
    }
    Dims dims = *x.dims;
    for (size_t i = 0; i < axes.size(); ++i) dims[size_t(axes[i])] = shape ? target((*shape)[i]) : Dim();
    return {Fact(x.dtype, dims)};
  }

  Precision computes_in(std::span<const Fact>) const override { return Precision::kAny; }
  KernelPtr compile(const CompileInput& in) const override {
    const Shape x = in.shape(0), y = in.output_shape(0);
    if (x == y) return make_view();
    std::vector<int64_t> begins;
    for (int d = 0; d < x.rank(); ++d) begins.push_back((y[d] - x[d]) / 2);
    return make_constant_pad(in.dtype(0), x, y, begins, zero_element(in.dtype(0)), -1);
  }

  std::vector<int> value_inputs() const override { return {1}; }

 private:
  std::vector<int> normalized(int rank) const {
    std::vector<int64_t> all(static_cast<size_t>(rank));
    std::iota(all.begin(), all.end(), 0);
    return normalize_axes(axes_.value_or(all), rank);
  }

  static Dim target(const Dim& dim) {
    if (dim.known() && dim.value() < 0) throw Error(ErrorKind::kShape, str("shape must not be negative, got ", dim));
    return dim;
  }

  std::optional<std::vector<int64_t>> axes_;
};

}  // namespace

LINNET_REGISTER(center_crop_pad)(Registry& registry) { registry.add<CenterCropPad>("CenterCropPad", {.since = 18}); }

}  // namespace linnet
