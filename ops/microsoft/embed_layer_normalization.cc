#include "infer/infer.h"
#include "microsoft/embedding_op.h"
#include "microsoft/quantized_tensor.h"
#include "registration.h"

namespace linnet {
namespace {

/// EmbedLayerNormalization: see EmbeddingOp.
/// - tables, gamma, beta, output, embedding_sum: float16/bfloat16/float/double, one dtype for all
/// - position_ids: int32 [batch or 1, length], the rows of the table of positions; default 0, 1, ...
/// - mask_index: int32 [batch]
/// Source:
/// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.EmbedLayerNormalization
class EmbedLayerNormalization final : public EmbeddingOp {
 public:
  explicit EmbedLayerNormalization(const NodeSpec& node) : EmbeddingOp(node) {}

 private:
  static constexpr size_t kPositionIds = 8;

  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 1, 9);
    require_given(graph, kWord, "word_embedding");
    require_floating(graph.facts()[kWord], "word_embedding");
    return embedded(graph);
  }

  DType dtype(const Expansion& graph) const override { return graph.facts()[kWord].dtype; }

  ValueId values(Expansion& graph, size_t input, ValueId elements, const std::string& name) const override {
    require_given(graph, input, name);
    require_same_dtype(graph.facts()[kWord], graph.facts()[input], "word_embedding and " + name);
    return elements;
  }

  ValueId positions(Expansion& graph) const override {
    if (!graph.has(kPositionIds)) return EmbeddingOp::positions(graph);
    require_ids(graph, kPositionIds, "position_ids");
    return graph.in(kPositionIds);
  }
};

}  // namespace

LINNET_REGISTER(embed_layer_normalization)(Registry& registry) {
  add_expanded<EmbedLayerNormalization>(registry, "EmbedLayerNormalization", {.domain = kMicrosoft});
}

}  // namespace linnet
