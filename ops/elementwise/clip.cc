#include <cmath>
#include <limits>

#include "elements/wrapping_arithmetic.h"
#include "elementwise/elementwise.h"
#include "infer/checked_values.h"
#include "infer/infer.h"
#include "kernels/kernels_for.h"
#include "kernels/unary.h"
#include "registration.h"

namespace linnet {
namespace {

/// The source of a bound: an operand of the loop, or a fixed value; no bound without both.
struct Bound {
  int operand = -1;
  std::optional<float> value{};
};

template <class T>
T bound_value(const Bound& bound, const Operand* x, T none) {
  if (bound.operand >= 0) return *static_cast<const T*>(x[bound.operand].data);
  return bound.value ? static_cast<T>(*bound.value) : none;
}

template <class T>
InnerLoop clip_loop(const Bound& min, const Bound& max) {
  using Limits = std::numeric_limits<T>;
  constexpr bool kFloat = std::is_floating_point_v<T>;
  return [min, max](const Operand* x, void* y, int64_t n) {
    const T low = bound_value<T>(min, x, T(kFloat ? -Limits::infinity() : Limits::lowest()));
    const T high = bound_value<T>(max, x, T(kFloat ? Limits::infinity() : Limits::max()));
    const T* from = static_cast<const T*>(x[0].data);
    for (int64_t i = 0; i < n; ++i) {
      const T raised = from[i] < low ? low : from[i];
      static_cast<T*>(y)[i] = static_cast<T>(raised > high ? high : raised);
    }
  };
}

InnerLoop clip_f32_loop(UnaryForm kernel, const Bound& min, const Bound& max) {
  return [kernel, min, max](const Operand* x, void* y, int64_t n) {
    const float low = bound_value<float>(min, x, -INFINITY);
    const float high = bound_value<float>(max, x, INFINITY);
    kernel(static_cast<const float*>(x[0].data), static_cast<float*>(y), n, low, high);
  };
}

/// Clip: y = min(max(x, min), max), element-wise; NaN stays NaN.
/// - x, y: numbers, any shape
/// - min, max: attributes before opset 11, then inputs of one element; each may be absent
/// Source: https://onnx.ai/onnx/operators/onnx__Clip.html
class Clip final : public Op {
 public:
  explicit Clip(const NodeSpec& node) : bounds_are_inputs_(node.opset >= 11) {
    if (bounds_are_inputs_) return;
    if (node.has("min")) min_.value = node.attr<float>("min");
    if (node.has("max")) max_.value = node.attr<float>("max");
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, bounds_are_inputs_ ? 3 : 1);
    for (int i = 1; i < int(in.size()); ++i) check_bound(in, i, i == 1 ? "min" : "max");
    return same_as(in[0]);
  }

  bool is_elementwise() const override { return true; }

  std::optional<Dims> contents(std::span<const Fact> in, const Fact&) const override {
    auto elements = bounds_are_inputs_ ? elements_of(in[0]) : std::nullopt;
    for (int i = 1; elements && i <= 2; ++i) {
      if (!has_input(in, i)) continue;
      const auto bound = elements_of(in[size_t(i)]);
      if (!bound) return std::nullopt;
      for (Dim& x : *elements) x = i == 1 ? linnet::max(x, bound->front()) : linnet::min(x, bound->front());
    }
    return elements;
  }

  KernelPtr compile(const CompileInput& in) const override {
    std::vector<Source> sources{{0, in.shape(0)}};
    const Bound min = bound(in, 1, min_, sources);
    const Bound max = bound(in, 2, max_, sources);
    if (in.dtype(0) == DType::kFloat32) {
      return elementwise(in, sources, clip_f32_loop(kernels_for<UnaryKernels>(in.isa()).clip, min, max));
    }
    return elementwise(in, sources, dispatch_number(in.dtype(0), [&]<class T>() { return clip_loop<T>(min, max); }));
  }

 private:
  static void check_bound(std::span<const Fact> in, int i, const char* name) {
    if (!has_input(in, i)) return;
    require_same_dtype(in[0], in[size_t(i)], name);
    require_one_element(in[size_t(i)], name);
  }

  static Bound bound(const CompileInput& in, int i, const Bound& attribute, std::vector<Source>& sources) {
    if (!in.has(i)) return attribute;
    sources.push_back({i, Shape{}});
    return {.operand = int(sources.size()) - 1};
  }

  bool bounds_are_inputs_;
  Bound min_, max_;
};

}  // namespace

LINNET_REGISTER(clip)(Registry& registry) { registry.add<Clip>("Clip"); }

}  // namespace linnet
