#include "expansion/expanded_op.h"
#include "infer/infer.h"
#include "registration.h"

namespace linnet {
namespace {

/// Rfft: the discrete Fourier transform of real numbers over the last signal_ndim axes; the last axis keeps its first
/// n/2 + 1 frequencies. Irfft: its inverse with the factor 1/n, of even length.
/// - Rfft: X float16/bfloat16/float/double [..., n], Y [..., n/2 + 1, 2], real and imaginary parts; Irfft: vice versa
/// - signal_ndim: 1 to 3; normalized must be 0 and onesided 1, as in ONNX Runtime
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.Rfft,
/// #com.microsoft.Irfft
class Rfft final : public ExpandedOp {
 public:
  explicit Rfft(const NodeSpec& node)
      : ExpandedOp(node, Precision::kFloat32),
        inverse_(node.op_type == "Irfft"),
        axes_(node.attr_or("signal_ndim", int64_t{1})) {
    if (axes_ < 1 || axes_ > 3) throw Error(ErrorKind::kModel, str("signal_ndim must be 1, 2 or 3, got ", axes_));
    if (node.attr_or("normalized", false)) throw Error(ErrorKind::kUnsupported, "normalized must be 0");
    if (!node.attr_or("onesided", true)) throw Error(ErrorKind::kUnsupported, "onesided must be 1");
  }

 private:
  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 1, 1);
    const Fact& x = graph.facts()[0];
    require_floating(x, "X");
    require_rank_at_least(x, int(axes_) + inverse_, "X");
    const ValueId last = graph.ints({-1});
    ValueId y = inverse_ ? graph.in(0) : half(graph, graph.op("Unsqueeze", {graph.in(0), last}));
    // Transforms the axes of the signal before its last one, from inner to outer.
    for (int64_t axis = -3; axis > -2 - axes_; --axis)
      y = transformed(graph, y, axis, {{"inverse", int64_t{inverse_}}});
    return {inverse_ ? graph.op("Squeeze", {half(graph, y), last}) : y};
  }

  /// The transform along the last axis of the signal, which is stored as half.
  ValueId half(Expansion& graph, ValueId x) const {
    return transformed(graph, x, -2, {{"onesided", int64_t{1}}, {"inverse", int64_t{inverse_}}});
  }

  static ValueId transformed(Expansion& graph, ValueId x, int64_t axis, const Attributes& attributes) {
    return graph.op("DFT", {x, kNoValue, graph.constant(Tensor::scalar(axis))}, attributes);
  }

  bool inverse_;
  int64_t axes_;
};

}  // namespace

LINNET_REGISTER(rfft)(Registry& registry) {
  for (const char* name : {"Rfft", "Irfft"}) add_expanded<Rfft>(registry, name, {.domain = kMicrosoft});
}

}  // namespace linnet
