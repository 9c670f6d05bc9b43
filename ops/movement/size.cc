#include <functional>
#include <numeric>

#include "generator/constant_kernel.h"
#include "infer/infer.h"
#include "registration.h"

namespace linnet {
namespace {

/// Size: the number of elements of its input.
/// data: any dtype.
/// size: int64 of rank 0.
/// Source: https://onnx.ai/onnx/operators/onnx__Size.html
class Size final : public Op {
 public:
  explicit Size(const NodeSpec&) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    if (!in[0].concrete()) return {Fact(DType::kInt64, Dims())};
    return {Fact(Tensor::scalar(in[0].shape().elements()))};
  }

  std::optional<Dims> contents(std::span<const Fact> in, const Fact&) const override {
    if (!in[0].has_rank()) return std::nullopt;
    return Dims{std::accumulate(in[0].dims->begin(), in[0].dims->end(), Dim(1), std::multiplies<>())};
  }

  Precision computes_in(std::span<const Fact>) const override { return Precision::kAny; }
  int64_t bytes_moved(const NodeValues& v) const override { return NodeValues::bytes(v.out(0)); }

  KernelPtr compile(const CompileInput& in) const override {
    return std::make_unique<ConstantKernel>(in.output_fact(0).constant);
  }
};

}  // namespace

LINNET_REGISTER(size)(Registry& registry) { registry.add<Size>("Size", {.since = 1}); }

}  // namespace linnet
