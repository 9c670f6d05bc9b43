#include "infer/prefix_rules.h"
#include "movement/axes.h"
#include "movement/copy.h"
#include "registration.h"

namespace linnet {
namespace {

class FillKernel final : public Kernel {
 public:
  explicit FillKernel(const Tensor& value) : value_(value) {}

  void run(KernelContext& context) const override { fill_tensor(value_, context.output(0), context.executor()); }

 private:
  Tensor value_;
};

/// ConstantOfShape: a tensor of the shape in its input, whose elements all equal that of the attribute `value` (default
/// float32 0).
/// - input: int64 [r]; output: value's dtype
/// Source: https://onnx.ai/onnx/operators/onnx__ConstantOfShape.html
class ConstantOfShape final : public Op {
 public:
  explicit ConstantOfShape(const NodeSpec& node)
      : shape_(node, "", 0, 1), value_(node.has("value") ? node.attr<Tensor>("value") : Tensor::scalar(0.0f)) {
    if (value_.size() != 1) throw Error(ErrorKind::kModel, str("value must be one element, got ", describe(value_)));
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    if (const auto numbers = shape_.numbers(in)) return {Fact(value_.dtype(), Shape(*numbers))};
    const auto rank = shape_.count(in);
    if (!rank) return {Fact(value_.dtype(), std::nullopt)};
    return {Fact(value_.dtype(), shape_.dims(in).value_or(Dims(size_t(*rank))))};
  }

  std::optional<Dims> contents(std::span<const Fact>, const Fact& out) const override {
    const auto value = elements_of(Fact(value_));
    return value ? std::optional(Dims(size_t(out.shape().elements()), value->front())) : std::nullopt;
  }

  KernelPtr compile(const CompileInput&) const override { return std::make_unique<FillKernel>(value_); }
  std::vector<int> value_inputs() const override { return {0}; }
  bool prefix(Prefix& prefix) const override { return prefix.carry(); }

 private:
  IntsParameter shape_;
  Tensor value_;
};

}  // namespace

LINNET_REGISTER(constant_of_shape)(Registry& registry) {
  registry.add<ConstantOfShape>("ConstantOfShape", {.since = 9});
}

}  // namespace linnet
