#include "graph/carries_values.h"
#include "infer/infer.h"
#include "movement/view.h"
#include "registration.h"

namespace linnet {
namespace {

/// Identity: y = x. Accepts tensors of any dtype, sequences, optionals and maps.
/// Source: https://onnx.ai/onnx/operators/onnx__Identity.html
class Identity final : public Op, public GivesItsInput {
 public:
  explicit Identity(const NodeSpec&) {}

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    return same_as(in[0]);
  }

  bool is_elementwise() const override { return true; }
  bool moves(int input) const override { return input == 0; }
  KernelPtr compile(const CompileInput&) const override { return make_view(); }
  bool accepts_containers() const override { return true; }
};

}  // namespace

LINNET_REGISTER(identity)(Registry& registry) { registry.add<Identity>("Identity"); }

}  // namespace linnet
