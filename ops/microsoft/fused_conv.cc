#include "infer/infer.h"
#include "microsoft/output_activation.h"
#include "microsoft/quantized_tensor.h"
#include "registration.h"

namespace linnet {
namespace {

/// FusedConv: Y = f(Conv(X, W, B) + Z), with attributes as for Conv, and f of OutputActivation::of_list. NhwcFusedConv:
/// the same with the channels of X, Z and Y last. NhwcConv: Conv with the channels of X, W and Y last, without Z and f.
/// - X: [N, C, D1...], W: [M, C / group, k1...], B: [M], Y: float16/bfloat16/float/double
/// - Z: the shape of Y
/// B and Z may be omitted.
/// Sources: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.FusedConv,
/// #com.microsoft.NhwcFusedConv, #com.microsoft.NhwcConv
class FusedConv final : public ExpandedOp {
 public:
  explicit FusedConv(const NodeSpec& node)
      : ExpandedOp(node, Precision::kFloat32),
        op_type_(node.op_type),
        activation_(OutputActivation::of_list(node)),
        attributes_(node.attributes) {
    std::erase_if(attributes_, [](const auto& entry) { return entry.first.starts_with("activation"); });
  }

 private:
  enum Input { kX, kW, kB, kZ };

  bool last() const { return op_type_ != "FusedConv"; }

  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 2, op_type_ == "NhwcConv" ? 3 : 4);
    require_floating(graph.facts()[kX], "X");
    if (!last()) return {finished(graph, convolved(graph, graph.in(kX), graph.in(kW)))};
    const Fact& ranked = graph.facts()[graph.facts()[kX].has_rank() ? kX : kW];
    if (!ranked.has_rank()) return {graph.unknown(graph.facts()[kX].dtype)};
    require_rank_at_least(ranked, 3, "X");
    const int rank = ranked.rank();
    const ValueId w = op_type_ == "NhwcConv" ? channels_first(graph, graph.in(kW), rank) : graph.in(kW);
    const ValueId y = convolved(graph, channels_first(graph, graph.in(kX), rank), w);
    return {finished(graph, channels_last(graph, y, rank))};
  }

  ValueId convolved(Expansion& graph, ValueId x, ValueId w) const {
    return graph.op("Conv", {x, w, graph.in(kB)}, attributes_);
  }

  ValueId finished(Expansion& graph, ValueId y) const {
    if (graph.has(kZ)) {
      check_summand(graph.fact(y), graph.facts()[kZ]);
      y = graph.op("Add", {y, graph.in(kZ)});
    }
    return activation_.applied(graph, y);
  }

  static void check_summand(const Fact& y, const Fact& z) {
    require_same_dtype(y, z, "X and Z");
    if (!y.has_rank() || !z.has_rank()) return;
    require_rank(z, y.rank(), "Z");
    for (int i = 0; i < y.rank(); ++i) merge_dim(y.dim(i), z.dim(i), str("dim ", i, " of Z and of the convolution"));
  }

  std::string op_type_;
  OutputActivation activation_;
  Attributes attributes_;
};

}  // namespace

LINNET_REGISTER(fused_conv)(Registry& registry) {
  for (const char* name : {"FusedConv", "NhwcConv", "NhwcFusedConv"}) {
    add_expanded<FusedConv>(registry, name, {.domain = kMicrosoft});
  }
}

}  // namespace linnet
