#pragma once

#include <span>

#include "controlflow/body.h"

namespace linnet {

/// What a FlexAttention with modifiers computes.
struct FlexAttentionRule {
  GraphPtr score_mod, prob_mod;       ///< nullptr: none
  double scale = 1;                   ///< of the products of queries and keys
  DType precision = DType::kFloat32;  ///< of the scores, the probabilities and all behind them
};

/// The attention as a graph of standard operators, the modifiers inlined. Its inputs are those of the node, of concrete
/// facts: Q, K, V and what the modifiers capture; its output is Y.
Graph flex_attention_graph(const FlexAttentionRule& rule, std::span<const Fact> inputs);

}  // namespace linnet
