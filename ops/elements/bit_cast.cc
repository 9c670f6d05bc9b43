#include "infer/dtype_attribute.h"
#include "infer/infer.h"
#include "movement/copy.h"
#include "registration.h"
#include "tensor/bool_bytes.h"

namespace linnet {
namespace {

class BitCastKernel final : public Kernel {
 public:
  void run(KernelContext& context) const override {
    Tensor& y = context.output(0);
    if (y.raw() != context.input(0).raw()) copy_tensor(context.input(0), y, context.executor());
    normalize_bools(y);
  }
  int in_place(int) const override { return 0; }
};

/// BitCast: the same bits as another dtype `to` of the same width. For bool, all bytes but 0 become 1. Supports all
/// dtypes except string.
/// Source: https://onnx.ai/onnx/operators/onnx__BitCast.html
class BitCast final : public Op {
 public:
  explicit BitCast(const NodeSpec& node) : to_(dtype_attribute(node, "to")) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    const DType from = in[0].dtype;
    if (from == DType::kString || to_ == DType::kString || dtype_bits(from) != dtype_bits(to_)) {
      throw Error(ErrorKind::kType, str("the bits of ", from, " cannot be taken for ", to_));
    }
    return {Fact(to_, in[0].dims)};
  }

  Precision computes_in(std::span<const Fact>) const override { return Precision::kAsGiven; }
  KernelPtr compile(const CompileInput&) const override { return std::make_unique<BitCastKernel>(); }

 private:
  DType to_;
};

}  // namespace

LINNET_REGISTER(bit_cast)(Registry& registry) { registry.add<BitCast>("BitCast", {.since = 26}); }

}  // namespace linnet
