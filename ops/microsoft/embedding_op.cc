#include "microsoft/embedding_op.h"

#include "infer/infer.h"
#include "microsoft/quantized_tensor.h"

namespace linnet {
namespace {

ValueId ones_of_rows(Expansion& graph, ValueId mask) {
  const ValueId ones = graph.op("Equal", {mask, graph.constant(Tensor::scalar<int32_t>(1))});
  return graph.op("ReduceSum", {graph.cast(ones, DType::kInt32), graph.ints({1})}, {{"keepdims", int64_t{0}}});
}

}  // namespace

void EmbeddingOp::require_ids(const Expansion& graph, size_t input, const std::string& name) {
  require_given(graph, input, name);
  require_dtype(graph.facts()[input], DType::kInt32, name);
  require_rank(graph.facts()[input], 2, name);
}

std::vector<ValueId> EmbeddingOp::embedded(Expansion& graph) const {
  require_ids(graph, kIds, "input_ids");
  if (!graph.facts()[kIds].has_rank()) {
    const ValueId open = graph.unknown(dtype(graph));
    return {open, graph.unknown(DType::kInt32), open};
  }
  if (graph.has(kMask)) require_ids(graph, kMask, "mask");
  const ValueId x = sum(graph);
  const ValueId gamma = values(graph, kGamma, graph.in(kGamma), "gamma");
  const ValueId beta = values(graph, kBeta, graph.in(kBeta), "beta");
  const ValueId mask_index =
      graph.has(kMask) ? ones_of_rows(graph, graph.in(kMask))
                       : graph.op("Expand", {graph.constant(Tensor::scalar<int32_t>(0)), graph.dim(graph.in(kIds), 0)});
  return {graph.op("LayerNormalization", {x, gamma, beta}, {{"epsilon", epsilon_}}), mask_index, x};
}

ValueId EmbeddingOp::sum(Expansion& graph) const {
  const ValueId x = graph.op("Add", {rows(graph, kWord, graph.in(kIds), "word_embedding"),
                                     rows(graph, kPosition, positions(graph), "position_embedding")});
  if (!graph.has(kSegmentIds)) return x;
  require_ids(graph, kSegmentIds, "segment_ids");
  return graph.op("Add", {x, rows(graph, kSegment, graph.in(kSegmentIds), "segment_embedding")});
}

ValueId EmbeddingOp::rows(Expansion& graph, size_t table, ValueId ids, const std::string& name) const {
  require_given(graph, table, name);
  require_rank(graph.facts()[table], 2, name);
  return values(graph, table, graph.op("Gather", {graph.in(table), ids}), name);
}

}  // namespace linnet
