#include <algorithm>
#include <cmath>
#include <numeric>

#include "infer/infer.h"
#include "movement/axes.h"
#include "registration.h"
#include "resize/resize_kernel.h"

namespace linnet {
namespace {

/// The numbers of a constant float tensor, or nullopt if the fact is not constant.
std::optional<std::vector<double>> constant_floats(const Fact& fact, const std::string& what) {
  if (!fact.constant) return std::nullopt;
  std::vector<double> values;
  const auto read = [&](const auto& data) { values.assign(data.begin(), data.end()); };
  if (fact.dtype == DType::kFloat64) {
    read(fact.constant.values<double>());
  } else if (fact.dtype == DType::kFloat16) {
    read(fact.constant.values<Half>());
  } else {
    require_dtype(fact, DType::kFloat32, what);
    read(fact.constant.values<float>());
  }
  return values;
}

constexpr double kLargest = 0x1p31;  // The largest scale, size and extent of an axis.

/// Resize: X with other extents, its elements interpolated from their neighbours. Mode nearest accepts any dtype of a
/// byte or more; linear and cubic accept numbers. The extents come from `scales` or `sizes`. `axes` lists the axes that
/// these and `roi` apply to. Upsample is its predecessor.
/// In domain "linnet", X and Y are channels-last; scales, sizes, roi and axes still count the axes as [N,C,D1...].
/// Sources: https://onnx.ai/onnx/operators/onnx__Resize.html, https://onnx.ai/onnx/operators/onnx__Upsample.html
class Resize final : public Op {
 public:
  explicit Resize(const NodeSpec& node)
      : mode_(node),
        channels_last_(node.domain == kInternalDomain),
        policy_(node.attr_or("keep_aspect_ratio_policy", "stretch")) {
    if (policy_ != "stretch" && policy_ != "not_larger" && policy_ != "not_smaller") {
      throw Error(ErrorKind::kModel, str("keep_aspect_ratio_policy '", policy_, "' is unknown"));
    }
    if (const auto* axes = node.find<std::vector<int64_t>>("axes")) axes_ = *axes;
    const bool upsample = node.op_type == "Upsample", has_scales_input = !upsample || node.opset >= 9;
    const bool roi_first = !upsample && (channels_last_ || node.opset >= 11);
    if (has_scales_input) scales_ = roi_first ? 2 : 1;
    if (roi_first) sizes_ = 3;
    if (roi_first && mode_.coordinates == ResizeMode::Coordinates::kTfCropAndResize) roi_ = 1;
    if (!has_scales_input) read_scales(node);
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 4);
    const Fact& x = in[0];
    if (!x.has_rank()) return {Fact(x.dtype, std::nullopt)};
    const auto targets = make_targets(in, x.rank());
    Dims dims = *x.dims;
    for (const int axis : axes(x.rank())) {
      Dim& dim = dims[size_t(physical(axis, x.rank()))];
      dim = targets ? extent((*targets)[size_t(axis)], dim, *targets, x) : Dim();
    }
    return {Fact(x.dtype, dims)};
  }

  // tf_crop_and_resize writes the extrapolation value outside the region of interest.
  bool moves(int input) const override {
    return input == 0 && mode_.filter == ResizeMode::Filter::kNearest &&
           mode_.coordinates != ResizeMode::Coordinates::kTfCropAndResize;
  }

  KernelPtr compile(const CompileInput& in) const override {
    std::vector<Fact> facts;
    for (int i = 0; i < in.num_inputs(); ++i) facts.push_back(in.fact(i));
    const int rank = in.rank(0);
    const std::vector<Target> targets = make_targets(facts, rank).value();
    const std::optional<Scale> common = scale_of_all(targets, in.fact(0));
    std::vector<ResizeAxis> axes(static_cast<size_t>(rank));
    for (int d = 0; d < rank; ++d) {
      const int axis = physical(d, rank);
      axes[size_t(axis)] = make_resize_axis(mode_, span_of(targets[size_t(d)], in.shape(0)[axis], common));
    }
    return make_resize(mode_, std::move(axes), in.dtype(0), in.isa());
  }

  std::vector<int> value_inputs() const override {
    std::vector<int> inputs;
    for (const int input : {roi_, scales_, sizes_}) {
      if (input >= 0) inputs.push_back(input);
    }
    return inputs;
  }

 private:
  /// The requested scale or size of an axis, and its region of interest.
  struct Target {
    bool given = false;
    double scale = 1;
    Dim size{-1};  ///< -1 if a scale is given.
    double roi_begin = 0, roi_end = 1;

    bool has_scale() const { return certainly_equal(size, -1); }
  };

  void read_scales(const NodeSpec& node) {
    if (node.opset >= 7) {
      const auto& scales = node.attr<std::vector<float>>("scales");
      attribute_scales_.emplace(scales.begin(), scales.end());
    } else {
      attribute_scales_ = {1, 1, node.attr<float>("height_scale"), node.attr<float>("width_scale")};
    }
  }

  int physical(int axis, int rank) const {
    return !channels_last_ || axis == 0 ? axis : axis == 1 ? rank - 1 : axis - 1;
  }

  std::vector<int> axes(int rank) const {
    if (axes_) return normalize_axes(*axes_, rank);
    std::vector<int> all(static_cast<size_t>(rank));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

  static bool given(std::span<const Fact> in, int input) {
    if (input < 0 || !has_input(in, input)) return false;
    const Fact& fact = in[size_t(input)];
    return !(fact.concrete() && fact.shape().elements() == 0);
  }

  /// Returns one target per axis, in ONNX's order, or nullopt while inputs are unknown.
  std::optional<std::vector<Target>> make_targets(std::span<const Fact> in, int rank) const {
    std::vector<Target> targets(static_cast<size_t>(rank));
    const std::vector<int> chosen = axes(rank);
    const bool by_sizes = given(in, sizes_), by_scales = attribute_scales_ || given(in, scales_);
    if (by_sizes == by_scales) {
      throw Error(ErrorKind::kModel,
                  str("exactly one of scales and sizes must be given, got ", by_sizes ? "both" : "none"));
    }
    if (by_sizes) {
      const auto sizes = determined_ints(in[size_t(sizes_)]);
      if (!sizes) return std::nullopt;
      set(targets, chosen, *sizes, "sizes", [](Target& target, const Dim& size) {
        target.size = size;
        return !size.known() || (size.value() >= 0 && double(size.value()) <= kLargest);
      });
    } else {
      const auto scales = attribute_scales_ ? attribute_scales_ : constant_floats(in[size_t(scales_)], "scales");
      if (!scales) return std::nullopt;
      set(targets, chosen, *scales, "scales", [](Target& target, double scale) {
        target.scale = scale;
        return scale > 0 && scale <= kLargest;
      });
    }
    return set_roi(in, chosen, targets) ? std::optional(targets) : std::nullopt;
  }

  /// Sets a field of the chosen targets. `assign` returns whether the value is allowed.
  template <class T, class F>
  static void set(std::vector<Target>& targets, const std::vector<int>& chosen, const std::vector<T>& values,
                  const char* what, const F& assign) {
    if (values.size() != chosen.size()) {
      throw Error(ErrorKind::kShape, str(what, " must have ", chosen.size(), " values, got ", values.size()));
    }
    for (size_t i = 0; i < chosen.size(); ++i) {
      targets[size_t(chosen[i])].given = true;
      if (!assign(targets[size_t(chosen[i])], values[i])) {
        throw Error(ErrorKind::kShape, str(what, " must be positive and at most 2^31, got ", values[i]));
      }
    }
  }

  /// Returns false while the region of interest is needed but unknown.
  bool set_roi(std::span<const Fact> in, const std::vector<int>& chosen, std::vector<Target>& targets) const {
    if (roi_ < 0) return true;
    if (!given(in, roi_)) throw Error(ErrorKind::kModel, "tf_crop_and_resize needs roi");
    const auto roi = constant_floats(in[size_t(roi_)], "roi");
    if (!roi) return false;
    if (roi->size() != 2 * chosen.size()) {
      throw Error(ErrorKind::kShape, str("roi must have ", 2 * chosen.size(), " values, got ", roi->size()));
    }
    for (size_t i = 0; i < chosen.size(); ++i) {
      targets[size_t(chosen[i])].roi_begin = (*roi)[i];
      targets[size_t(chosen[i])].roi_end = (*roi)[i + chosen.size()];
    }
    return true;
  }

  /// The scale: `to` elements for every `from`.
  struct Scale {
    double to = 1, from = 1;

    double value() const { return to / from; }
  };

  /// Returns the common scale that a policy other than stretch applies to all chosen axes, whose extents are known.
  /// Returns nullopt if there is no common scale.
  std::optional<Scale> scale_of_all(const std::vector<Target>& targets, const Fact& x) const {
    if (policy_ == "stretch") return std::nullopt;
    std::optional<Scale> common;
    for (int d = 0; d < x.rank(); ++d) {
      const Target& target = targets[size_t(d)];
      const Dim& dim = x.dim(physical(d, x.rank()));
      if (target.has_scale() || dim.value() == 0) continue;
      const Scale scale{double(target.size.value()), double(dim.value())};
      const bool smaller = common && scale.value() < common->value();
      if (!common || smaller == (policy_ == "not_larger")) common = scale;
    }
    return common;
  }

  /// Returns the scale of an axis: the given scale, the common one, or the quotient of the sizes.
  static Scale scale_of(const Target& target, int64_t in, std::optional<Scale> common) {
    if (target.has_scale()) return {double(float(target.scale)), 1};
    return common.value_or(Scale{double(target.size.value()), double(in)});
  }

  static ResizeSpan span_of(const Target& target, int64_t in, std::optional<Scale> common) {
    ResizeSpan span{.in = in,
                    .out = in,
                    .to = 1,
                    .from = 1,
                    .roi_begin = float(target.roi_begin),
                    .roi_end = float(target.roi_end)};
    if (!target.given) return span;
    const Scale scale = scale_of(target, in, common);
    span.to = scale.to;
    span.from = scale.from;
    double extent = double(target.size.value());
    if (common) extent = std::floor(scale.to * double(in) / scale.from + 0.5);
    if (target.has_scale()) extent = double(float(scale.to) * float(in));
    if (!(extent <= kLargest)) throw Error(ErrorKind::kLimit, str("cannot resize an axis of ", in, " to ", extent));
    span.out = int64_t(extent);
    if (in == 0 && span.out > 0) throw Error(ErrorKind::kShape, str("cannot resize an empty axis to ", span.out));
    return span;
  }

  /// Returns the extent of an axis, unknown if it depends on unknown values.
  Dim extent(const Target& target, const Dim& in, const std::vector<Target>& targets, const Fact& x) const {
    if (target.has_scale()) {
      return in.known() ? Dim(span_of(target, in.value(), std::nullopt).out) : scaled(in, float(target.scale));
    }
    if (policy_ != "stretch" && !are_numbers(targets, x)) return {};
    if (in.known() && target.size.known()) return span_of(target, in.value(), scale_of_all(targets, x)).out;
    if (target.size.lower_bound() >= 1) learn_at_least(in, 1);
    return target.size;
  }

  /// Whether the extents and sizes of all chosen axes are known numbers.
  bool are_numbers(const std::vector<Target>& targets, const Fact& x) const {
    for (int d = 0; d < x.rank(); ++d) {
      const bool given = targets[size_t(d)].given;
      if (given && !(targets[size_t(d)].size.known() && x.dim(physical(d, x.rank())).known())) return false;
    }
    return true;
  }

  /// Returns the product rounded down for scales that are multiples of 1/16, for which float32 is exact up to long
  /// axes.
  static Dim scaled(const Dim& in, float scale) {
    constexpr float kParts = 16, kMost = 64;
    const float parts = scale * kParts;
    return scale <= kMost && parts == std::floor(parts) ? floor_div(in * Dim(int64_t(parts)), int64_t(kParts)) : Dim();
  }

  ResizeMode mode_;
  bool channels_last_;
  std::string policy_;
  std::optional<std::vector<int64_t>> axes_;
  std::optional<std::vector<double>> attribute_scales_;
  int roi_ = -1, scales_ = -1, sizes_ = -1;
};

}  // namespace

LINNET_REGISTER(resize)(Registry& registry) {
  registry.add<Resize>("Resize", {.since = 10});
  registry.add<Resize>("Resize", {.since = 1, .domain = kInternalDomain});
  registry.add<Resize>("Upsample", {.since = 1});
}

}  // namespace linnet
