#pragma once

#include "expansion/expanded_op.h"

namespace linnet {

/// The base of EmbedLayerNormalization and its quantised form:
/// - embedding_sum = word[input_ids] + position[...] + segment[segment_ids]
/// - output = LayerNormalization(embedding_sum) over the last axis
/// - mask_index: the number of elements of each row of the mask that are 1; 0 without a mask
/// - input_ids, segment_ids, mask: int32 [batch, length]; the last two may be omitted
/// - tables: [rows, hidden]; the segment table is omitted with segment_ids
/// - gamma, beta: [hidden]
/// - epsilon (1e-12)
class EmbeddingOp : public ExpandedOp {
 protected:
  enum Input { kIds, kSegmentIds, kWord, kPosition, kSegment, kGamma, kBeta, kMask };

  explicit EmbeddingOp(const NodeSpec& node) : ExpandedOp(node), epsilon_(node.attr_or("epsilon", 1e-12f)) {}

  /// The floats that elements of this input represent.
  virtual ValueId values(Expansion& graph, size_t input, ValueId elements, const std::string& name) const = 0;
  /// The rows of the table of positions: [length], or one for each element of input_ids.
  virtual ValueId positions(Expansion& graph) const { return graph.range(graph.dim(graph.in(kIds), 1)); }
  /// The dtype of output and embedding_sum.
  virtual DType dtype(const Expansion& graph) const = 0;

  /// Returns output, mask_index and embedding_sum.
  std::vector<ValueId> embedded(Expansion& graph) const;

  static void require_ids(const Expansion& graph, size_t input, const std::string& name);

 private:
  ValueId rows(Expansion& graph, size_t table, ValueId ids, const std::string& name) const;
  ValueId sum(Expansion& graph) const;

  float epsilon_;
};

}  // namespace linnet
