#include "expansion/expanded_op.h"
#include "infer/infer.h"
#include "registration.h"

namespace linnet {
namespace {

/// RotaryEmbedding: that of ONNX with input, position_ids, cos_cache, sin_cache. Rotates the first values of each head
/// by the angles of its position; there are as many angles as columns of the caches.
/// - input: float16/bfloat16/float32, [batch, length, heads * size] or [batch, heads, length, size]
/// - position_ids: int64 [batch, length], or one element, the position of the first token of every sample
/// - caches: [positions, size / 2], or [positions, rotary_embedding_dim / 2] with rotary_embedding_dim
/// - num_heads: required with rotary_embedding_dim; interleaved: pairs are neighbours
/// - is_packed_batching: has no effect, because position_ids contains the positions
/// A scale other than 1, which ONNX Runtime's kernel for CPUs ignores, throws Error(kUnsupported).
/// Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.RotaryEmbedding
class RotaryEmbeddingByOffset final : public ExpandedOp {
 public:
  explicit RotaryEmbeddingByOffset(const NodeSpec& node)
      : ExpandedOp(node),
        heads_(node.attr_or("num_heads", 0)),
        rotated_(node.attr_or("rotary_embedding_dim", 0)),
        interleaved_(node.attr_or("interleaved", 0)) {
    if (heads_ < 0) throw Error(ErrorKind::kModel, str("num_heads must not be negative, got ", heads_));
    if (rotated_ > 0 && heads_ == 0) {
      throw Error(ErrorKind::kModel, "num_heads must be given where rotary_embedding_dim is");
    }
    if (const float scale = node.attr_or("scale", 1.0f); scale != 1) {
      throw Error(ErrorKind::kUnsupported, str("scale must be 1 here, got ", scale));
    }
  }

 private:
  enum Input { kInput, kPositions, kCos, kSin };

  std::vector<ValueId> expand(Expansion& graph) const override {
    require_inputs(graph.facts(), 4, 4);
    const Fact &x = graph.facts()[kInput], &positions = graph.facts()[kPositions], &cos = graph.facts()[kCos];
    require_dtype(positions, DType::kInt64, "position_ids");
    require_rank(cos, 2, "cos_cache");
    require_rank(graph.facts()[kSin], 2, "sin_cache");
    if (x.has_rank() && x.rank() != 3 && x.rank() != 4) {
      throw Error(ErrorKind::kShape, str("input must have rank 3 or 4, got ", x));
    }
    const bool is_joined = x.has_rank() && x.rank() == 3;
    const bool counts_heads = is_joined && rotated_ == 0;
    const bool known = x.has_rank() && positions.has_rank() && cos.has_rank();
    if (!known || (counts_heads && (!x.dim(2).known() || !cos.dim(1).known()))) return {alike(graph, x)};
    Attributes attributes{{"interleaved", interleaved_}, {"rotary_embedding_dim", rotated_}};
    if (is_joined) attributes["num_heads"] = counts_heads ? count(x.dim(2).value(), cos.dim(1).value()) : heads_;
    return {graph.op("RotaryEmbedding", {graph.in(kInput), graph.in(kCos), graph.in(kSin), all_positions(graph, x)},
                     attributes)};
  }

  static ValueId alike(Expansion& graph, const Fact& x) {
    graph.wait();
    return graph.input(x);
  }

  static int64_t count(int64_t width, int64_t half) {
    if (half > 0 && width % checked_mul(2, half) == 0) return width / checked_mul(2, half);
    throw Error(ErrorKind::kShape, str("the last dim of input must be a multiple of twice the columns of cos_cache, ",
                                       half, ", got ", width));
  }

  /// The positions of all tokens, [batch, length].
  static ValueId all_positions(Expansion& graph, const Fact& x) {
    const Fact& positions = graph.facts()[kPositions];
    if (positions.rank() == 2) return graph.in(kPositions);
    if (positions.rank() > 2) {
      throw Error(ErrorKind::kShape, str("position_ids must be one element or [batch, length], got ", positions));
    }
    const ValueId batch = graph.dim(graph.in(kInput), 0);
    const ValueId length = graph.dim(graph.in(kInput), x.rank() == 3 ? 1 : 2);
    const ValueId first = graph.reshape(graph.in(kPositions), {1, 1});
    const ValueId of_sample = graph.op("Add", {first, graph.range(length)});
    return graph.op("Expand", {of_sample, graph.op("Concat", {batch, length}, {{"axis", int64_t{0}}})});
  }

  int64_t heads_, rotated_, interleaved_;
};

}  // namespace

LINNET_REGISTER(rotary_embedding_by_offset)(Registry& registry) {
  add_expanded<RotaryEmbeddingByOffset>(registry, "RotaryEmbedding", {.domain = kMicrosoft});
}

}  // namespace linnet
