#include <algorithm>
#include <numeric>

#include "movement/axes.h"
#include "movement/strided_kernel.h"
#include "movement/view.h"
#include "registration.h"
#include "roofline/counts.h"

namespace linnet {
namespace {

/// The elements start, start + step, ... of one axis.
struct AxisSlice {
  int64_t start, step, length;
};

/// As the specification clamps: start into [0, dim] (step < 0: [0, dim - 1]), end into [0, dim] ([-1, dim - 1]).
AxisSlice clamp_slice(int64_t start, int64_t end, int64_t step, int64_t dim) {
  if (step == 0) throw Error(ErrorKind::kShape, "steps must not be 0");
  if (dim == 0) return {0, 1, 0};
  step = std::max(step, -INT64_MAX);
  const int64_t low = step < 0 ? -1 : 0, high = step < 0 ? dim - 1 : dim;
  start = std::clamp(start < 0 ? start + dim : start, std::max<int64_t>(0, low), high);
  end = std::clamp(end < 0 ? end + dim : end, low, high);
  const int64_t distance = step < 0 ? start - end : end - start;
  if (distance <= 0) return {0, 1, 0};
  const int64_t length = (distance - 1) / std::abs(step) + 1;
  return {start, length == 1 ? 1 : step, length};
}

/// Slice: the elements starts[i], starts[i] + steps[i], ... before ends[i] of each axis axes[i]; whole other axes.
/// Negative starts and ends count from the back; out of range ones are clamped, so INT64_MAX means to the end.
/// data, output: any dtype of a byte or more. starts, ends, axes, steps: int32/int64 [n]; attributes before opset 10,
/// without steps.
/// Source: https://onnx.ai/onnx/operators/onnx__Slice.html
class Slice final : public Op {
 public:
  explicit Slice(const NodeSpec& node)
      : starts_(node, "starts", 1, 10),
        ends_(node, "ends", 2, 10),
        axes_(node, "axes", 3, 10),
        steps_(node, "", 4, 10) {
    if (starts_.is_input()) return;
    for (const char* name : {"starts", "ends"}) node.attr<std::vector<int64_t>>(name);
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, starts_.is_input() ? 3 : 1, starts_.is_input() ? 5 : 1);
    const Fact& x = in[0];
    if (!x.has_rank()) return {Fact(x.dtype, std::nullopt)};
    const auto parameters = known(in);
    if (!parameters) return {Fact(x.dtype, open_result(x, in))};
    Dims dims = *x.dims;
    for (size_t i = 0; i < parameters->axes.size(); ++i) {
      Dim& dim = dims[size_t(parameters->axes[i])];
      if (dim.known()) {
        dim = parameters->slice(i, dim.value()).length;
      } else if (!parameters->whole(i)) {
        dim = sliced(dim, parameters->starts[i], parameters->ends[i], parameters->steps[i]);
      }
    }
    return {Fact(x.dtype, dims)};
  }

  bool moves(int input) const override { return input == 0; }
  int64_t bytes_moved(const NodeValues& v) const override { return bytes_of_selection(v); }

  KernelPtr compile(const CompileInput& in) const override {
    const Shape x = in.shape(0);
    std::vector<Fact> facts;
    for (int i = 0; i < in.num_inputs(); ++i) facts.push_back(in.fact(i));
    const Parameters parameters = *known(facts);
    std::vector<int64_t> strides = row_major_strides(x);
    int64_t offset = 0;
    bool all = true;
    for (size_t i = 0; i < parameters.axes.size(); ++i) {
      const auto axis = size_t(parameters.axes[i]);
      const AxisSlice slice = parameters.slice(i, x[int(axis)]);
      offset += slice.start * strides[axis];
      strides[axis] *= slice.step;
      all = all && slice.step == 1 && slice.length == x[int(axis)];
    }
    if (all) return make_view();
    const Shape y = in.output_shape(0);
    return make_strided_kernel(StridedCopy(in.dtype(0), y.dims(), strides, row_major_strides(y), offset));
  }

  std::vector<int> value_inputs() const override {
    std::vector<int> result;
    for (const IntsParameter* parameter : {&starts_, &ends_, &axes_, &steps_}) {
      for (const int input : parameter->value_inputs()) result.push_back(input);
    }
    return result;
  }

 private:
  struct Parameters {
    std::vector<int64_t> starts, ends, steps;
    std::vector<int> axes;

    AxisSlice slice(size_t i, int64_t dim) const { return clamp_slice(starts[i], ends[i], steps[i], dim); }
    /// True when the slice keeps the axis whatever its dim is.
    bool whole(size_t i) const { return starts[i] == 0 && ends[i] >= INT32_MAX && steps[i] == 1; }
  };

  /// The parameters for an input of known rank; nullopt while one of them is not known.
  std::optional<Parameters> known(std::span<const Fact> in) const {
    const auto starts = starts_.values(in), ends = ends_.values(in), axes = axes_.values(in), steps = steps_.values(in);
    if (!starts || !ends || (!axes && axes_.given(in)) || (!steps && steps_.given(in))) return std::nullopt;
    std::vector<int64_t> all(starts->size());
    std::iota(all.begin(), all.end(), 0);
    Parameters result{*starts, *ends, steps.value_or(std::vector<int64_t>(starts->size(), 1)),
                      normalize_axes(axes.value_or(all), in[0].rank())};
    const size_t n = starts->size();
    if (result.ends.size() != n || result.steps.size() != n || result.axes.size() != n) {
      throw Error(ErrorKind::kShape, str("starts, ends, axes and steps must have equally many values, got ", n, ", ",
                                         result.ends.size(), ", ", result.axes.size(), ", ", result.steps.size()));
    }
    return result;
  }

  static Dim from_front(const Dim& at, const Dim& dim) {
    if (at.known() && at.value() >= INT32_MAX) return dim;
    if (at.lower_bound() >= 0) return min(at, dim);
    return at.upper_bound() < 0 ? max(at + dim, 0) : Dim();
  }

  static Dim sliced(const Dim& dim, const Dim& start, const Dim& end, const Dim& step) {
    if (step == Dim(-1) && start == Dim(-1) && end.known() && end.value() <= -INT32_MAX) return dim;
    if (!step.known() || step.value() < 1) return {};
    const Dim length = max(from_front(end, dim) - from_front(start, dim), 0);
    return ceil_div(length, step);
  }

  Dims open_result(const Fact& x, std::span<const Fact> in) const {
    const auto starts = starts_.dims(in), ends = ends_.dims(in);
    const auto axes = axes_.values(in), steps = steps_.values(in);
    if (!starts || !ends || (!axes && axes_.given(in)) || (!steps && steps_.given(in))) return open_dims(x, in);
    std::vector<int64_t> all(starts->size());
    std::iota(all.begin(), all.end(), 0);
    const std::vector<int> at = normalize_axes(axes.value_or(all), x.rank());
    Dims dims = *x.dims;
    if (ends->size() != at.size() || starts->size() != at.size()) return open_dims(x, in);
    for (size_t i = 0; i < at.size(); ++i) {
      Dim& dim = dims[size_t(at[i])];
      dim = sliced(dim, (*starts)[i], (*ends)[i], steps ? (*steps)[i] : 1);
    }
    return dims;
  }

  /// The dims that are certain although starts or ends are not known: those of the axes not sliced.
  Dims open_dims(const Fact& x, std::span<const Fact> in) const {
    const auto axes = axes_.values(in);
    if (!axes) return Dims(x.dims->size());
    Dims dims = *x.dims;
    for (const int axis : normalize_axes(*axes, x.rank())) dims[size_t(axis)] = Dim();
    return dims;
  }

  IntsParameter starts_, ends_, axes_, steps_;
};

}  // namespace

LINNET_REGISTER(slice)(Registry& registry) { registry.add<Slice>("Slice", {.since = 1}); }

}  // namespace linnet
