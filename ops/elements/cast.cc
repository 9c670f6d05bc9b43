#include <algorithm>
#include <cctype>

#include "elements/cast_kernel.h"
#include "elements/truth.h"
#include "graph/reads_any_bool.h"
#include "infer/dtype_attribute.h"
#include "infer/infer.h"
#include "registration.h"

namespace linnet {
namespace {

/// The dtype in the attribute `to`: an enumerator, in opset 1 its name.
DType target(const NodeSpec& node) {
  DType dtype = DType::kUndefined;
  if (node.opset < 6 && node.domain.empty()) {
    std::string name = node.attr<std::string>("to");
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    dtype = dtype_from_name(name);
  } else {
    dtype = dtype_attribute(node, "to");
  }
  if (dtype_bits(dtype) == 0 || is_container(dtype))
    throw Error(ErrorKind::kUnsupported, "the attribute to names no known dtype");
  return dtype;
}

/// Cast: y = x converted to the dtype `to`, element-wise; see wide.h and number_text.h for the rules.
/// - x, y: numbers, bool or strings, any shape
/// - saturate, round_mode: for float8 types, see small_float.h
/// In the internal domain "linnet", x is constants that some products read in their own dtype, and other nodes widened.
/// Source: https://onnx.ai/onnx/operators/onnx__Cast.html
class Cast final : public Op, public ReadsAnyBool {
 public:
  explicit Cast(const NodeSpec& node)
      : to_(target(node)), rounding_(rounding_of(node)), late_(node.domain == kInternalDomain) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    return {Fact(to_, in[0].dims)};
  }

  Precision computes_in(std::span<const Fact>) const override { return Precision::kAsGiven; }
  bool is_elementwise() const override { return true; }
  Dim element(std::span<const Dim> inputs) const override { return converted(inputs[0], to_); }
  bool reads_any_bool(int) const override { return true; }
  bool widens_constants() const override { return late_; }
  KernelPtr compile(const CompileInput& in) const override { return cast_kernel(in, rounding_); }

 private:
  DType to_;
  SmallFloatRounding rounding_;
  bool late_;
};

}  // namespace

LINNET_REGISTER(cast)(Registry& registry) {
  registry.add<Cast>("Cast");
  registry.add<Cast>("Cast", {.since = 1, .domain = kInternalDomain});
}

}  // namespace linnet
