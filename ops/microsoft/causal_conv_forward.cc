#include <algorithm>
#include <array>

#include "infer/infer.h"
#include "microsoft/quantized_tensor.h"
#include "registration.h"

namespace linnet {
namespace {

/// CausalConvWithState: like ONNX's, a depthwise convolution that sees no later position.
/// - input, bias, past_state, output, present_state: as in ONNX; weight: [channels, 1, taps]
/// - dilation (1): the distance of taps; states have (taps - 1) * dilation positions
/// - channels_last: whether input and output are [batch, length, channels], and states [batch, positions, channels]
/// - activation: none, silu or swish
/// Throws Error(kUnsupported) for ndim other than 1, state_channels_last other than -1, and state_window,
/// state_update_capacity, state_length, input_channel_offset and input_channels other than 0.
/// Source:
/// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.CausalConvWithState
class CausalConvForward final : public ExpandedOp {
 public:
  explicit CausalConvForward(const NodeSpec& node)
      : ExpandedOp(node),
        activation_(node.attr_or("activation", "none")),
        dilation_(node.attr_or("dilation", 1)),
        channels_last_(node.attr_or("channels_last", false)) {
    constexpr std::array kActivations{"none", "silu", "swish"};
    if (std::find(kActivations.begin(), kActivations.end(), activation_) == kActivations.end()) {
      throw Error(ErrorKind::kModel, str("activation must be none, silu or swish, got '", activation_, "'"));
    }
    if (dilation_ < 1) throw Error(ErrorKind::kModel, str("dilation must be positive, got ", dilation_));
    require_default(node, "ndim", 1);
    require_default(node, "state_channels_last", -1);
    for (const char* name :
         {"state_window", "state_update_capacity", "state_length", "input_channel_offset", "input_channels"}) {
      require_default(node, name, 0);
    }
  }

 private:
  enum Input { kInput, kWeight, kBias, kPast };

  static void require_default(const NodeSpec& node, const char* name, int64_t expected) {
    const int64_t value = node.attr_or(name, expected);
    if (value != expected) throw Error(ErrorKind::kUnsupported, str(name, " must be ", expected, " here, got ", value));
  }

  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 2, 4);
    require_rank(graph.facts()[kInput], 3, "input");
    require_rank(graph.facts()[kWeight], 3, "weight");
    if (graph.has(kPast)) require_rank(graph.facts()[kPast], 3, "past_state");
    const ValueId x = swapped(graph, graph.in(kInput)), past = swapped(graph, graph.in(kPast));
    if (dilation_ > 1) return spread(graph, x, past);
    NodeSpec spec;
    spec.op_type = "CausalConvWithState";
    spec.opset = 27;
    spec.attributes["activation"] = activation_;
    const std::vector<ValueId> y = graph.node(std::move(spec), {x, graph.in(kWeight), graph.in(kBias), past}, 2);
    return {swapped(graph, y[0]), swapped(graph, y[1])};
  }

  /// Converts between channels first and channels last.
  ValueId swapped(Expansion& graph, ValueId x) const {
    return channels_last_ && x != kNoValue ? graph.transpose(x, {0, 2, 1}) : x;
  }

  /// A convolution of the concatenation of state and input.
  std::vector<ValueId> spread(Expansion& graph, ValueId x, ValueId past) const {
    const Fact& weight = graph.facts()[kWeight];
    if (!graph.fact(x).has_rank() || !weight.has_rank() || !weight.dim(0).known() || !weight.dim(2).known()) {
      return {graph.unknown(graph.fact(x).dtype), graph.unknown(graph.fact(x).dtype)};
    }
    const int64_t state = checked_mul(weight.dim(2).value() - 1, dilation_);
    if (past != kNoValue && graph.fact(past).has_rank())
      merge_dim(state, graph.fact(past).dim(2), "positions of past_state");
    const ValueId joined = past == kNoValue ? graph.op("Pad", {x, graph.ints({0, 0, state, 0, 0, 0})})
                                            : graph.op("Concat", {past, x}, {{"axis", int64_t{2}}});
    const ValueId y = graph.op("Conv", {joined, graph.in(kWeight), graph.in(kBias)},
                               {{"group", weight.dim(0).value()}, {"dilations", std::vector<int64_t>{dilation_}}});
    const ValueId present = graph.op("Slice", {joined, graph.dim(x, 2), graph.ints({INT64_MAX}), graph.ints({2})});
    const ValueId active = activation_ == "none" ? y : graph.op("Mul", {y, graph.op("Sigmoid", {y})});
    return {swapped(graph, active), swapped(graph, present)};
  }

  std::string activation_;
  int64_t dilation_;
  bool channels_last_;
};

}  // namespace

LINNET_REGISTER(causal_conv_forward)(Registry& registry) {
  add_expanded<CausalConvForward>(registry, "CausalConvWithState", {.domain = kMicrosoft});
}

}  // namespace linnet
