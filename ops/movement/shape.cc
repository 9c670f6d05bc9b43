#include <algorithm>

#include "generator/constant_kernel.h"
#include "infer/infer.h"
#include "registration.h"

namespace linnet {
namespace {

/// Shape: the dims [start, end) of its input. They are known before the model runs if the input's dims are.
/// data: any dtype.
/// shape: int64 [end - start].
/// start, end: from opset 15 on; negative ones count from the back, and both are clamped to [0, r].
/// Source: https://onnx.ai/onnx/operators/onnx__Shape.html
class ShapeOp final : public Op {
 public:
  explicit ShapeOp(const NodeSpec& node) : start_(node.attr_or("start", 0)), end_(node.attr_or("end", INT64_MAX)) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    if (!in[0].has_rank()) return {Fact(DType::kInt64, Dims(1))};
    std::vector<int64_t> values;
    const Dims dims = selected(in[0]);
    for (const Dim& dim : dims) {
      if (!dim.known()) return {Fact(DType::kInt64, Dims{std::ssize(dims)})};
      values.push_back(dim.value());
    }
    return {Fact(Tensor::of(values))};
  }

  std::optional<Dims> contents(std::span<const Fact> in, const Fact&) const override {
    return in[0].has_rank() ? std::optional(selected(in[0])) : std::nullopt;
  }

  Precision computes_in(std::span<const Fact>) const override { return Precision::kAny; }
  int64_t bytes_moved(const NodeValues& v) const override { return NodeValues::bytes(v.out(0)); }

  KernelPtr compile(const CompileInput& in) const override {
    return std::make_unique<ConstantKernel>(in.output_fact(0).constant);
  }

 private:
  Dims selected(const Fact& x) const {
    const int64_t begin = clamped(start_, x.rank()), end = std::max(begin, clamped(end_, x.rank()));
    return Dims(x.dims->begin() + begin, x.dims->begin() + end);
  }

  static int64_t clamped(int64_t index, int64_t rank) {
    return std::clamp<int64_t>(index < 0 ? index + rank : index, 0, rank);
  }

  int64_t start_, end_;
};

}  // namespace

LINNET_REGISTER(shape)(Registry& registry) { registry.add<ShapeOp>("Shape", {.since = 1}); }

}  // namespace linnet
