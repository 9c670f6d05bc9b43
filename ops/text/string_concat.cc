#include "elementwise/elementwise.h"
#include "environment/run_environment.h"
#include "infer/infer.h"
#include "registration.h"

namespace linnet {
namespace {

/// StringConcat: each string of X followed by that of Y, with broadcasting.
/// X, Y, Z: string.
/// Source: https://onnx.ai/onnx/operators/onnx__StringConcat.html
class StringConcat final : public Op {
 public:
  explicit StringConcat(const NodeSpec&) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 2, 2);
    require_dtype(in[0], DType::kString, "X");
    require_dtype(in[1], DType::kString, "Y");
    return {Fact(DType::kString, broadcast_dims(in))};
  }

  KernelPtr compile(const CompileInput& in) const override {
    return elementwise(in, binary_loop<std::string>([](const auto& a, const auto& b) {
                         count_text(a.size() + b.size());
                         return a + b;
                       }));
  }
};

}  // namespace

LINNET_REGISTER(string_concat)(Registry& registry) { registry.add<StringConcat>("StringConcat", {.since = 20}); }

}  // namespace linnet
