#include <array>
#include <utility>

#include "infer/checked_values.h"
#include "infer/infer.h"
#include "microsoft/attention_graph.h"
#include "microsoft/quantized_tensor.h"
#include "registration.h"

namespace linnet {
namespace {

/// SparseAttention: GroupQueryAttention whose query rows see, up to their own position, only the blocks of keys that a
/// sparse mask allows for the block of their position. Uses batch * num_heads * length * capacity floats of memory.
/// - block_row_indices: int32 [layouts, blocks + 1], block_col_indices: int32 [layouts, n]: the mask in compressed
///   rows, which may be padded with -1; head h has layout h modulo the number of layouts
/// - sparse_block_size: the number of positions in a block
/// - past_key, past_value, present_key, present_value: [batch, kv_num_heads, capacity, size]
/// - key_total_sequence_lengths: int32 [batch], the number of tokens of a sample including the new ones
/// - query, key, value, total_sequence_length, cos_cache, sin_cache, do_rotary, rotary_interleaved, scale: see
///   GroupQueryAttention
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.SparseAttention
class SparseAttention final : public ExpandedOp {
 public:
  explicit SparseAttention(const NodeSpec& node)
      : ExpandedOp(node),
        heads_(positive_attribute(node, "num_heads")),
        block_(positive_attribute(node, "sparse_block_size")),
        attributes_{{"num_heads", heads_}, {"kv_num_heads", positive_attribute(node, "kv_num_heads")}} {
    for (const char* name : {"do_rotary", "rotary_interleaved"}) {
      attributes_[name] = node.attr_or<int64_t>(name, 0);
    }
    if (const float* scale = node.find<float>("scale")) attributes_["scale"] = *scale;
  }

 private:
  enum Input { kQuery, kKey, kValue, kPastKey, kPastValue, kRows, kColumns, kTotal, kTokens, kCos, kSin };

  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 1, 11);
    constexpr std::array kNeeded{std::pair(kPastKey, "past_key"),
                                 std::pair(kPastValue, "past_value"),
                                 std::pair(kRows, "block_row_indices"),
                                 std::pair(kColumns, "block_col_indices"),
                                 std::pair(kTotal, "total_sequence_length"),
                                 std::pair(kTokens, "key_total_sequence_lengths")};
    for (const auto& [input, name] : kNeeded) require_given(graph, input, name);
    const Fact& query = graph.facts()[kQuery];
    require_dtype(graph.facts()[kTokens], DType::kInt32, "key_total_sequence_lengths");
    require_rank(graph.facts()[kPastKey], 4, "past_key");
    require_rank(query, 3, "query");
    if (!query.has_rank() || !graph.facts()[kPastKey].has_rank()) {
      return {graph.unknown(query.dtype), graph.unknown(query.dtype), graph.unknown(query.dtype)};
    }
    const ValueId one = graph.constant(Tensor::scalar(int32_t{1}));
    const ValueId last = graph.op("Sub", {graph.in(kTokens), one});
    const std::vector<ValueId> inputs{graph.in(kQuery),     graph.in(kKey), graph.in(kValue), graph.in(kPastKey),
                                      graph.in(kPastValue), last,           graph.in(kTotal), graph.in(kCos),
                                      graph.in(kSin),       kNoValue,       bias(graph, last)};
    return graph.node({.op_type = "GroupQueryAttention", .domain = kMicrosoft, .attributes = attributes_}, inputs, 3);
  }

  ValueId bias(Expansion& graph, ValueId last) const {
    const ValueId length = graph.dim(graph.in(kQuery), 1), past = graph.dim(graph.in(kPastKey), 2);
    const std::vector<ValueId> tokens =
        internal_op(graph, "CachePositions", {last, graph.in(kTotal), length, past, kNoValue}, 3);
    const ValueId bias = internal_op(
        graph, "BlockMaskBias", {graph.in(kRows), graph.in(kColumns), tokens[1], graph.in(kQuery), graph.in(kPastKey)},
        1, {{"num_heads", heads_}, {"sparse_block_size", block_}})[0];
    return graph.cast(bias, graph.facts()[kQuery].dtype);
  }

  int64_t heads_, block_;
  Attributes attributes_;
};

}  // namespace

LINNET_REGISTER(sparse_attention)(Registry& registry) {
  add_expanded<SparseAttention>(registry, "SparseAttention", {.domain = kMicrosoft});
}

}  // namespace linnet
