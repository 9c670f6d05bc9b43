#include <algorithm>
#include <numeric>

#include "elements/dispatch.h"
#include "elements/sub_byte_elements.h"
#include "infer/checked_values.h"
#include "infer/prefix_rules.h"
#include "movement/axes.h"
#include "movement/copy.h"
#include "movement/pad_kernels.h"
#include "movement/view.h"
#include "registration.h"

namespace linnet {
namespace {

/// The name of the attribute that contained the pads before opset 11.
std::string pads_attribute(const NodeSpec& node) { return node.opset < 2 ? "paddings" : "pads"; }

/// Pad: elements added before and after the given axes, or removed if a pad is negative.
/// data, output: any dtype.
/// pads: int64 [begins of all axes, ends of all axes].
/// constant_value: one element; zero, false or "" if omitted.
/// axes: int32/int64; all axes if omitted.
/// mode: constant, reflect, edge, wrap.
/// Before opset 11, pads and value were attributes.
/// Source: https://onnx.ai/onnx/operators/onnx__Pad.html
class Pad final : public Op {
 public:
  explicit Pad(const NodeSpec& node)
      : mode_(pad_mode(node.attr_or("mode", "constant"))),
        value_(node.opset < 11 ? node.attr_or("value", 0.0f) : 0.0f),
        pads_(node, pads_attribute(node), 1, 11),
        axes_(node, "", 3, 18) {
    if (!pads_.is_input()) node.attr<std::vector<int64_t>>(pads_attribute(node));
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, pads_.is_input() ? 2 : 1, 4);
    const Fact& x = in[0];
    if (has_input(in, 2)) require_same_dtype(x, in[2], "data and constant_value");
    if (!x.has_rank()) return {Fact(x.dtype, std::nullopt)};
    const auto pads = pads_of(in);
    if (!pads) return {Fact(x.dtype, Dims(x.dims->size()))};
    Dims dims;
    for (size_t d = 0; d < x.dims->size(); ++d) dims.push_back(padded(x.dim(int(d)), pads->begins[d], pads->ends[d]));
    return {Fact(x.dtype, dims)};
  }

  Precision computes_in(std::span<const Fact>) const override { return Precision::kAny; }
  KernelPtr compile(const CompileInput& in) const override {
    if (has_sub_byte(in)) return compile_widened(in, [this](const CompileInput& widened) { return compile(widened); });
    std::vector<Fact> facts;
    for (int i = 0; i < in.num_inputs(); ++i) facts.push_back(in.fact(i));
    const Pads pads = *pads_of(facts);
    const std::vector<int64_t> begins = numbers_of(pads.begins), ends = numbers_of(pads.ends);
    const Shape x = in.shape(0), y = in.output_shape(0);
    if (is_none(begins) && is_none(ends)) return make_view();
    if (mode_ != PadMode::kConstant && y.elements() > 0) return make_index_pad(in.dtype(0), x, y, begins, mode_);
    if (in.has(2)) require_one_element(in.fact(2), "constant_value");
    return make_constant_pad(in.dtype(0), x, y, begins, value(in.dtype(0)), in.has(2) ? 2 : -1);
  }

  /// A Pad of a graph input with zeros after its rows gives the input unchanged: its memory after the rows is zero
  /// already.
  bool prefix(Prefix& prefix) const override {
    PrefixGraph& graph = prefix_graph(prefix);
    const Node& node = graph.node();
    const int axis = prefix.input_axis(0);
    const bool of_zeros = mode_ == PadMode::kConstant && value_ == 0 && !prefix.input(2).present();
    if (axis < 0 || axis != prefix.output_axis(0) || !of_zeros || !graph.graph().is_input(node.inputs[0])) return false;
    std::vector<Fact> in;
    for (int i = 0; i < int(node.inputs.size()); ++i) in.push_back(prefix.input(i));
    const auto pads = pads_of(in);
    if (!pads) return false;
    for (int d = 0; d < prefix.input(0).rank(); ++d) {
      const Dim &begin = pads->begins[size_t(d)], &end = pads->ends[size_t(d)];
      if (!certainly_equal(begin, 0) || !(d == axis ? certainly_at_least(end, 0) : certainly_equal(end, 0)))
        return false;
    }
    graph.give(0, graph.now(node.inputs[0]));
    return true;
  }

  std::vector<int> value_inputs() const override {
    std::vector<int> result = pads_.value_inputs();
    for (const int input : axes_.value_inputs()) result.push_back(input);
    return result;
  }

 private:
  struct Pads {
    Dims begins, ends;  ///< per axis of the input
  };

  static bool is_none(std::span<const int64_t> pads) {
    return std::ranges::all_of(pads, [](int64_t pad) { return pad == 0; });
  }

  /// The pads of each axis of an input of known rank, or nullopt if they are not known yet.
  std::optional<Pads> pads_of(std::span<const Fact> in) const {
    const auto pads = pads_.dims(in);
    const auto axes = axes_.numbers(in);
    if (!pads || (!axes && axes_.given(in))) return std::nullopt;
    const int rank = in[0].rank();
    std::vector<int64_t> all(static_cast<size_t>(rank));
    std::iota(all.begin(), all.end(), 0);
    const std::vector<int> padded_axes = normalize_axes(axes.value_or(all), rank);
    const size_t n = padded_axes.size();
    if (pads->size() != 2 * n) {
      throw Error(ErrorKind::kShape, str("pads must have two values per axis (", 2 * n, "), got ", pads->size()));
    }
    Pads result{Dims(size_t(rank), 0), Dims(size_t(rank), 0)};
    for (size_t i = 0; i < n; ++i) {
      result.begins[size_t(padded_axes[i])] = (*pads)[i];
      result.ends[size_t(padded_axes[i])] = (*pads)[i + n];
    }
    return result;
  }

  static Dim padded(const Dim& dim, const Dim& begin, const Dim& end) {
    const Dim result = checked_add(checked_add(dim, begin), end);
    if (result.known() && result.value() < 0) {
      throw Error(ErrorKind::kShape, str("pads ", begin, " and ", end, " leave nothing of dim ", dim));
    }
    learn_at_least(result, 0);
    return result;
  }

  Tensor value(DType dtype) const {
    Tensor result = zero_element(dtype);
    if (value_ != 0) dispatch_stored(dtype, [&]<class T>() { *result.data<T>() = stored<T>(double{value_}); });
    return result;
  }

  PadMode mode_;
  float value_;
  IntsParameter pads_, axes_;
};

}  // namespace

LINNET_REGISTER(pad)(Registry& registry) { registry.add<Pad>("Pad", {.since = 1}); }

}  // namespace linnet
