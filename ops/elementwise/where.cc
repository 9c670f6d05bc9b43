#include "elementwise/elementwise.h"
#include "graph/reads_any_bool.h"
#include "infer/infer.h"
#include "kernels/kernels_for.h"
#include "kernels/numbers.h"
#include "registration.h"

namespace linnet {
namespace {

template <class T>
InnerLoop where_loop() {
  return [](const Operand* x, void* y, int64_t n) {
    const auto step = [&](int k) { return int64_t{x[k].scalar ? 0 : 1}; };
    const auto* condition = static_cast<const uint8_t*>(x[0].data);
    const T* a = static_cast<const T*>(x[1].data);
    const T* b = static_cast<const T*>(x[2].data);
    T* out = static_cast<T*>(y);
    const int64_t condition_step = step(0), a_step = step(1), b_step = step(2);
    for (int64_t i = 0; i < n; ++i) out[i] = condition[i * condition_step] ? a[i * a_step] : b[i * b_step];
  };
}

/// Where: z = condition ? x : y, element-wise with broadcasting.
/// - condition: bool; x, y, z: one dtype of whole bytes
/// Source: https://onnx.ai/onnx/operators/onnx__Where.html
class Where final : public Op, public ReadsAnyBool {
 public:
  explicit Where(const NodeSpec&) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 3, 3);
    require_dtype(in[0], DType::kBool, "condition");
    require_same_dtype(in[1], in[2], "Y");
    return {Fact(in[1].dtype, broadcast_dims(in))};
  }

  Precision computes_in(std::span<const Fact>) const override { return Precision::kAny; }
  bool reads_any_bool(int input) const override { return input == 0; }
  bool is_elementwise() const override { return true; }
  Dim element(std::span<const Dim> inputs) const override {
    if (inputs[0].known()) return inputs[inputs[0].value() != 0 ? 1 : 2];
    return certainly_equal(inputs[1], inputs[2]) ? inputs[1] : Dim();
  }
  KernelPtr compile(const CompileInput& in) const override {
    if (const WidthFunctions* functions = kernels_for<NumberKernels>(in.isa()).width(in.dtype(1))) {
      return elementwise(in, number_loop(functions->select, in));
    }
    return elementwise(in, dispatch_width(in.dtype(1), []<class T>() { return where_loop<T>(); }));
  }
};

}  // namespace

LINNET_REGISTER(where)(Registry& registry) { registry.add<Where>("Where", {.since = 9}); }

}  // namespace linnet
