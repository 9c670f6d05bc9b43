#include <algorithm>
#include <numeric>

#include "elements/dispatch.h"
#include "elements/sub_byte_elements.h"
#include "infer/checked_values.h"
#include "movement/axes.h"
#include "movement/copy.h"
#include "movement/pad_kernels.h"
#include "movement/view.h"
#include "registration.h"

namespace linnet {
namespace {

/// The name of the attribute that held the pads before opset 11.
std::string pads_attribute(const NodeSpec& node) { return node.opset < 2 ? "paddings" : "pads"; }

/// Pad: elements added before and after the given axes, or taken away where a pad is negative.
/// data, output: any dtype. pads: int64 [begins of all axes, ends of all axes]. constant_value: one
/// element, else zero, false or "". axes: int32/int64, all axes unless given. Before opset 11 pads and value were
/// attributes. mode: constant, reflect, edge, wrap.
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
    const auto pads = known(in);
    if (!pads) return {Fact(x.dtype, open_padded(x, in))};
    Dims dims;
    for (int d = 0; d < x.rank(); ++d) dims.push_back(padded(x.dim(d), pads->begins[size_t(d)], pads->ends[size_t(d)]));
    return {Fact(x.dtype, dims)};
  }

  Precision computes_in(std::span<const Fact>) const override { return Precision::kAny; }
  KernelPtr compile(const CompileInput& in) const override {
    if (has_sub_byte(in)) return compile_widened(in, [this](const CompileInput& widened) { return compile(widened); });
    std::vector<Fact> facts;
    for (int i = 0; i < in.num_inputs(); ++i) facts.push_back(in.fact(i));
    const Pads pads = *known(facts);
    const Shape x = in.shape(0), y = in.output_shape(0);
    if (pads.none()) return make_view();
    if (mode_ != PadMode::kConstant && y.elements() > 0) return make_index_pad(in.dtype(0), x, y, pads.begins, mode_);
    if (in.has(2)) require_one_element(in.fact(2), "constant_value");
    return make_constant_pad(in.dtype(0), x, y, pads.begins, value(in.dtype(0)), in.has(2) ? 2 : -1);
  }

  std::vector<int> value_inputs() const override {
    std::vector<int> result = pads_.value_inputs();
    for (const int input : axes_.value_inputs()) result.push_back(input);
    return result;
  }

 private:
  struct Pads {
    std::vector<int64_t> begins, ends;  ///< per axis of the input

    bool none() const {
      const auto zero = [](int64_t pad) { return pad == 0; };
      return std::all_of(begins.begin(), begins.end(), zero) && std::all_of(ends.begin(), ends.end(), zero);
    }
  };

  /// The pads of each axis of an input of known rank; nullopt while they are not known.
  std::optional<Pads> known(std::span<const Fact> in) const {
    const auto pads = pads_.values(in), axes = axes_.values(in);
    if (!pads || (!axes && axes_.given(in))) return std::nullopt;
    const int rank = in[0].rank();
    std::vector<int64_t> all(static_cast<size_t>(rank));
    std::iota(all.begin(), all.end(), 0);
    const std::vector<int> padded_axes = normalize_axes(axes.value_or(all), rank);
    const size_t n = padded_axes.size();
    if (pads->size() != 2 * n) {
      throw Error(ErrorKind::kShape, str("pads must have two values per axis (", 2 * n, "), got ", pads->size()));
    }
    Pads result{std::vector<int64_t>(size_t(rank)), std::vector<int64_t>(size_t(rank))};
    for (size_t i = 0; i < n; ++i) {
      result.begins[size_t(padded_axes[i])] = (*pads)[i];
      result.ends[size_t(padded_axes[i])] = (*pads)[i + n];
    }
    return result;
  }

  Dims open_padded(const Fact& x, std::span<const Fact> in) const {
    const auto pads = pads_.dims(in);
    if (!pads || axes_.given(in) || pads->size() != 2 * x.dims->size()) return Dims(x.dims->size());
    Dims dims;
    for (size_t d = 0; d < x.dims->size(); ++d) dims.push_back((*x.dims)[d] + (*pads)[d] + (*pads)[d + x.dims->size()]);
    return dims;
  }

  static Dim padded(const Dim& dim, int64_t begin, int64_t end) {
    if (begin == 0 && end == 0) return dim;
    if (!dim.known()) return dim + begin + end;
    const int64_t result = checked_add(checked_add(dim.value(), begin), end);
    if (result < 0) throw Error(ErrorKind::kShape, str("pads ", begin, " and ", end, " leave nothing of dim ", dim));
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
