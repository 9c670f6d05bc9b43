#include "elements/truth.h"
#include "elementwise/aligns_operands.h"
#include "elementwise/elementwise.h"
#include "infer/infer.h"
#include "kernels/kernels_for.h"
#include "kernels/numbers.h"
#include "logical/order_loop.h"
#include "registration.h"

namespace linnet {
namespace {

/// Less, LessOrEqual, Greater, GreaterOrEqual: whether a < b (and so on), element by element with broadcasting. Before
/// opset 7, the attributes broadcast and axis specify broadcasting. The result is false if either is NaN.
/// a, b: numbers of one dtype.
/// y: bool.
/// Source: https://onnx.ai/onnx/operators/onnx__Less.html
class Comparison final : public Op, public AlignsOperands {
 public:
  /// swapped: b is compared with a instead of a with b.
  Comparison(const NodeSpec& node, NumberForms OrderFunctions::*compare, bool swapped)
      : broadcast_(node), compare_(compare), swapped_(swapped) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override { return broadcast_.infer(in, DType::kBool); }

  std::optional<Dims> aligned_second(std::span<const Fact> in) const override { return broadcast_.aligned_second(in); }

  bool is_elementwise() const override { return broadcast_.by_numpy(); }

  Dim element(std::span<const Dim> inputs) const override {
    const Dim &a = inputs[swapped_ ? 1 : 0], &b = inputs[swapped_ ? 0 : 1];
    return compare_ == &OrderFunctions::less ? 1 - at_least(a, b) : at_least(b, a);
  }

  KernelPtr compile(const CompileInput& in) const override {
    std::vector<Source> sources = broadcast_.sources(in);
    if (swapped_) std::swap(sources[0], sources[1]);
    const OrderFunctions* functions = kernels_for<NumberKernels>(in.isa()).order(in.dtype(0));
    if (!functions || in.dtype(0) == DType::kBool) throw_dtype(in.dtype(0));
    return elementwise(in, sources, order_loop(functions->*compare_));
  }

 private:
  BinaryBroadcast broadcast_;
  NumberForms OrderFunctions::*compare_;
  bool swapped_;
};

}  // namespace

LINNET_REGISTER(comparison)(Registry& registry) {
  const auto add = [&](const char* name, int64_t since, NumberForms OrderFunctions::*compare, bool swapped) {
    registry.add(name, {.since = since}, [compare, swapped](const NodeSpec& node) {
      return std::make_unique<Comparison>(node, compare, swapped);
    });
  };
  add("Less", 1, &OrderFunctions::less, false);
  add("Greater", 1, &OrderFunctions::less, true);
  add("LessOrEqual", 12, &OrderFunctions::less_equal, false);
  add("GreaterOrEqual", 12, &OrderFunctions::less_equal, true);
}

}  // namespace linnet
