#include "infer/infer.h"
#include "microsoft/embedding_op.h"
#include "microsoft/quantized_tensor.h"
#include "registration.h"

namespace linnet {
namespace {

/// QEmbedLayerNormalization: see EmbeddingOp. Tables, gamma and beta are dequantised; there is no embedding_sum.
/// - tables, gamma, beta: int8/uint8, each with a float32 scale and a zero point of its dtype, of one element
/// - output: float32 [batch, length, hidden]; mask_index: int32 [batch]
/// Source:
/// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QEmbedLayerNormalization
class QEmbedLayerNormalization final : public EmbeddingOp {
 public:
  explicit QEmbedLayerNormalization(const NodeSpec& node) : EmbeddingOp(node) {}

 private:
  /// The first scale and zero point; those of the inputs from kWord to kBeta follow in that order.
  static constexpr size_t kScales = 8, kZeros = 13;

  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 1, 18);
    std::vector<ValueId> outputs = embedded(graph);
    outputs.resize(2);
    return outputs;
  }

  DType dtype(const Expansion&) const override { return DType::kFloat32; }

  ValueId values(Expansion& graph, size_t input, ValueId elements, const std::string& name) const override {
    const size_t scale = kScales + input - kWord, zero = kZeros + input - kWord;
    require_bytes(graph, input, name);
    check_scale(graph, scale, zero, graph.facts()[input].dtype, name);
    require_given(graph, zero, name + "_zero_point");
    return graph.op("DequantizeLinear", {elements, graph.in(scale), graph.in(zero)});
  }
};

}  // namespace

LINNET_REGISTER(qembed_layer_normalization)(Registry& registry) {
  add_expanded<QEmbedLayerNormalization>(registry, "QEmbedLayerNormalization", {.domain = kMicrosoft});
}

}  // namespace linnet
