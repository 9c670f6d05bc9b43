#include <algorithm>
#include <numeric>

#include "infer/prefix_rules.h"
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

/// Clamps as the specification does: start to [0, dim] (step < 0: [0, dim - 1]), end to [0, dim] ([-1, dim - 1]).
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

/// Whether files use such a position for the end, or the beginning, of an axis of any length.
bool is_end(const Dim& at) { return at.known() && at.value() >= INT32_MAX; }
bool is_begin(const Dim& at) { return at.known() && at.value() <= -INT32_MAX; }

/// The position clamped to [low, high]; unknown if it is uncertain from which end of the axis it counts.
Dim clamped(const Dim& at, const Dim& dim, const Dim& low, const Dim& high) {
  if (is_end(at)) return high;
  if (is_begin(at)) return low;
  if (certainly_at_least(at, 0)) return min(at, high);
  return certainly_at_least(-1, at) ? max(dim + at, low) : Dim();
}

/// The length that clamp_slice() returns, for expressions; unknown if it is uncertain.
Dim slice_length(const Dim& start, const Dim& end, const Dim& step, const Dim& dim) {
  if (!step.known() || step.value() == 0) return {};
  if (step.value() < 0) {
    const Dim last = dim - 1;
    const Dim first = certainly_equal(start, -1) ? last : min(clamped(start, dim, 0, last), last);
    return ceil_div(max(first - clamped(end, dim, -1, last), 0), Dim(0) - step);
  }
  const Dim stop = clamped(end, dim, 0, dim);
  // A start after `stop` gives 0 elements whether it is clamped or not.
  const bool from_front = is_begin(start) || is_end(start) || certainly_at_least(start, 0);
  const Dim begin = is_begin(start) ? Dim(0) : is_end(start) ? stop : start;
  if (from_front) return ceil_div(max(stop - begin, 0), step);
  if (!certainly_at_least(-1, start)) return {};
  return ceil_div(max(min(stop - (dim + start), stop), 0), step);
}

/// Slice: the elements starts[i], starts[i] + steps[i], ... before ends[i] of each axis axes[i]; other axes are whole.
/// Negative starts and ends count from the back. Those out of range are clamped, so INT64_MAX means to the end.
/// data, output: any dtype of a byte or more.
/// starts, ends, axes, steps: int32/int64 [n]; attributes before opset 10, without steps.
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
    const auto parameters = this->parameters(in);
    if (!parameters) return {Fact(x.dtype, open_dims(x, in))};
    Dims dims = *x.dims;
    for (size_t i = 0; i < parameters->axes.size(); ++i) {
      Dim& dim = dims[size_t(parameters->axes[i])];
      dim = parameters->length(i, dim);
    }
    return {Fact(x.dtype, dims)};
  }

  bool moves(int input) const override { return input == 0; }
  int64_t bytes_moved(const NodeValues& v) const override { return bytes_of_selection(v); }

  /// Slices other axes than that of the rows; along the rows, takes all of them or a fixed number from a known
  /// position.
  bool prefix(Prefix& prefix) const override {
    PrefixGraph& graph = prefix_graph(prefix);
    const Node& node = graph.node();
    std::vector<Fact> in;
    for (int i = 0; i < int(node.inputs.size()); ++i) in.push_back(prefix.input(i));
    const auto parameters = this->parameters(in);
    if (!parameters) return false;
    const bool forward =
        std::ranges::all_of(parameters->steps, [](const Dim& step) { return certainly_equal(step, 1); });
    if (forward && prefix.input_axis(0) == prefix.output_axis(0) && prefix.carry()) return true;
    if (!forward || (!in[0].concrete() && prefix.input_axis(0) < 0)) return false;
    ValueId v = graph.now(node.inputs[0]);
    for (size_t i = 0; i < parameters->axes.size() && v != kNoValue; ++i) v = sliced(graph, v, *parameters, i);
    if (v == kNoValue) return false;
    graph.give(0, v);
    return true;
  }

  KernelPtr compile(const CompileInput& in) const override {
    const Shape x = in.shape(0);
    std::vector<Fact> facts;
    for (int i = 0; i < in.num_inputs(); ++i) facts.push_back(in.fact(i));
    const Parameters parameters = *this->parameters(facts);
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
    Dims starts, ends, steps;
    std::vector<int> axes;

    AxisSlice slice(size_t i, int64_t dim) const {
      return clamp_slice(starts[i].value(), ends[i].value(), steps[i].value(), dim);
    }
    Dim length(size_t i, const Dim& dim) const {
      if (dim.known() && starts[i].known() && ends[i].known() && steps[i].known()) return slice(i, dim.value()).length;
      return slice_length(starts[i], ends[i], steps[i], dim);
    }
  };

  /// Returns the value of graph() that is `v` sliced along one axis in steps of 1, or kNoValue if that cannot be
  /// expressed.
  static ValueId sliced(PrefixGraph& graph, ValueId v, const Parameters& parameters, size_t i) {
    const int axis = parameters.axes[i];
    const Dim &dim = graph.input(0).dim(axis), &length = graph.output(0).dim(axis);
    if (certainly_equal(dim, length)) return v;
    Dim first = parameters.starts[i];
    if (certainly_at_least(-1, first)) first += dim;
    if (!certainly_at_least(first, 0) || !certainly_at_least(dim, first + length)) return kNoValue;
    if (length.known()) return gather_rows(graph, v, axis, first, length.value());
    const int64_t room = graph.room(length);
    if (!first.known() || !dim.known() || room < 0 || checked_add(first.value(), room) > dim.value()) return kNoValue;
    NodeSpec spec = graph.node().spec;
    spec.opset = std::max<int64_t>(spec.opset, 13);
    spec.attributes.clear();
    const auto ints = [&](const char* name, int64_t value) {
      return graph.constant(spec.name + name, Tensor::of(std::vector<int64_t>{value}));
    };
    return graph.add(spec, {v, ints(".start", first.value()), ints(".end", first.value() + room), ints(".axis", axis)});
  }

  /// The parameters for an input of known rank, or nullopt if one of them is not known yet.
  std::optional<Parameters> parameters(std::span<const Fact> in) const {
    const auto starts = starts_.dims(in), ends = ends_.dims(in), steps = steps_.dims(in);
    const auto axes = axes_.numbers(in);
    if (!starts || !ends || (!axes && axes_.given(in)) || (!steps && steps_.given(in))) return std::nullopt;
    const size_t n = starts->size();
    std::vector<int64_t> all(n);
    std::iota(all.begin(), all.end(), 0);
    Parameters result{*starts, *ends, steps.value_or(Dims(n, 1)), normalize_axes(axes.value_or(all), in[0].rank())};
    if (result.ends.size() != n || result.steps.size() != n || result.axes.size() != n) {
      throw Error(ErrorKind::kShape, str("starts, ends, axes and steps must have equally many values, got ", n, ", ",
                                         result.ends.size(), ", ", result.axes.size(), ", ", result.steps.size()));
    }
    return result;
  }

  /// The dims that are certain although starts or ends are not known: those of the axes that are not sliced.
  Dims open_dims(const Fact& x, std::span<const Fact> in) const {
    const auto axes = axes_.numbers(in);
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
