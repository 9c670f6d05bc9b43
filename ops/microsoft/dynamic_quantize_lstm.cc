#include <algorithm>

#include "infer/infer.h"
#include "microsoft/quantized.h"
#include "op_list.h"
#include "quantization/parameter.h"

namespace linnet {
namespace {

/// DynamicQuantizeLSTM: LSTM of ONNX whose weights are quantised; what is multiplied with them is not rounded.
/// W [directions, input, 4 * hidden], R [directions, hidden, 4 * hidden]: int8/uint8, each with a float32 scale and a
/// zero point of its dtype, [directions] or [directions, 4 * hidden].   X, B, sequence_lens, initial_h, initial_c, P,
/// Y, Y_h, Y_c and attributes: as for LSTM; float32. Source:
/// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.DynamicQuantizeLSTM
class DynamicQuantizeLstm final : public ExpandedOp {
 public:
  explicit DynamicQuantizeLstm(const NodeSpec& node) : ExpandedOp(node), attributes_(node.attributes) {}

 private:
  enum Input { kX, kW, kR, kBias, kLengths, kInitialH, kInitialC, kPeepholes, kWScale, kWZero, kRScale, kRZero };

  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 3, 12);
    require_dtype(graph.facts()[kX], DType::kFloat32, "X");
    const ValueId w = weights(graph, kW, kWScale, "W"), r = weights(graph, kR, kRScale, "R");
    std::vector<ValueId> inputs{graph.in(kX), w, r};
    for (size_t i = kBias; i <= kPeepholes; ++i) inputs.push_back(graph.in(i));
    return graph.op("LSTM", inputs, 3, attributes_);
  }

  /// The weights as LSTM wants them: [directions, 4 * hidden, ...].
  static ValueId weights(Expansion& graph, size_t input, size_t scale, const std::string& name) {
    require_bytes(graph, input, name);
    const Fact& w = graph.facts()[input];
    require_rank(w, 3, name);
    for (const size_t i : {scale, scale + 1}) {
      const std::string parameter = name + (i == scale ? "_scale" : "_zero_point");
      require_given(graph, i, parameter);
      check_parameter(graph.facts()[i], w, parameter, i == scale ? DType::kFloat32 : w.dtype);
    }
    require_positive(graph.facts()[scale], name + "_scale");
    if (!w.concrete() || !graph.facts()[scale].has_rank() || !graph.facts()[scale + 1].has_rank()) {
      return graph.unknown(DType::kFloat32);
    }
    const Attributes attributes{{"axis", int64_t{1}}, {"block_size", std::max<int64_t>(1, w.shape()[1])}};
    const ValueId y = graph.op("DequantizeLinear",
                               {graph.in(input), by_block(graph, scale, w), by_block(graph, scale + 1, w)}, attributes);
    return graph.transpose(y, {0, 2, 1});
  }

  static void check_parameter(const Fact& parameter, const Fact& w, const std::string& name, DType dtype) {
    require_dtype(parameter, dtype, name);
    if (!parameter.has_rank() || !w.has_rank()) return;
    const Fact each(dtype, Dims{w.dim(0)}), columns(dtype, Dims{w.dim(0), w.dim(2)});
    if (!compatible(each, parameter) && !compatible(columns, parameter)) {
      throw Error(ErrorKind::kShape, str(name, " must be ", each, " or ", columns, ", got ", parameter));
    }
  }

  /// The parameter as [directions, 1, 4 * hidden]: one block of each column.
  static ValueId by_block(Expansion& graph, size_t input, const Fact& w) {
    const int64_t directions = w.shape()[0], columns = w.shape()[2];
    if (graph.facts()[input].rank() == 2) return graph.reshape(graph.in(input), {directions, 1, columns});
    const ValueId each = graph.reshape(graph.in(input), {directions, 1, 1});
    return graph.op("Expand", {each, graph.ints({directions, 1, columns})});
  }

  Attributes attributes_;
};

}  // namespace

void register_dynamic_quantize_lstm(Registry& registry) {
  add_expanded<DynamicQuantizeLstm>(registry, "DynamicQuantizeLSTM", {.domain = kMicrosoft});
}

}  // namespace linnet
