#include "elements/cast_kernel.h"
#include "elements/truth.h"
#include "infer/infer.h"
#include "registration.h"

namespace linnet {
namespace {

/// CastLike: Cast of the first input to the dtype of the second, whose values are ignored.
/// Source: https://onnx.ai/onnx/operators/onnx__CastLike.html
class CastLike final : public Op {
 public:
  explicit CastLike(const NodeSpec& node) : rounding_(rounding_of(node)) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 2);
    return {Fact(in[1].dtype, in[0].dims)};
  }

  std::optional<Dims> contents(std::span<const Fact> in, const Fact& out) const override {
    auto elements = elements_of(in[0]);
    if (!elements) return std::nullopt;
    for (Dim& x : *elements) x = converted(x, out.dtype);
    return elements;
  }

  Precision computes_in(std::span<const Fact>) const override { return Precision::kAsGiven; }
  KernelPtr compile(const CompileInput& in) const override { return cast_kernel(in, rounding_); }

 private:
  SmallFloatRounding rounding_;
};

}  // namespace

LINNET_REGISTER(cast_like)(Registry& registry) { registry.add<CastLike>("CastLike", {.since = 15}); }

}  // namespace linnet
