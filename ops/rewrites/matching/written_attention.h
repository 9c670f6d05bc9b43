#pragma once

#include <string>
#include <variant>
#include <vector>

#include "graph/graph.h"

namespace linnet {

/// One mask that is applied to the scores before the softmax.
struct WrittenMask {
  ValueId summand = kNoValue;    ///< added to the scores, or
  ValueId condition = kNoValue;  ///< scores become `hidden` where this differs from `kept`
  bool kept = true;
  float hidden = 0;
};

/// Attention as exporters write it in standard operators, on [batch, heads, length, size] or [heads, length, size]:
/// MatMul(Softmax(mask(softcap * Tanh(scale / softcap * MatMul(q, k^T)))), v).
struct WrittenAttention {
  ValueId q = kNoValue, k_transposed = kNoValue, v = kNoValue;
  double scale = 1;
  double softcap = 0;              ///< 0: no softcap
  std::vector<WrittenMask> masks;  ///< in the order in which they apply
  bool zero_where_nan = false;     ///< probabilities that are NaN become 0
};

/// The attention whose last product a node is, or why it is not an attention; the reason is empty if nothing resembles
/// one.
std::variant<WrittenAttention, std::string> written_attention(const Graph& graph, const Node& node);

/// Why a node with a Softmax before it is not the last product of an attention; empty for all other nodes.
LINNET_API std::string attention_obstacle(const Graph& graph, const Node& node);

/// Whether a mask leaves scores finite whatever the inputs of a run are.
bool is_finite(const Graph& graph, const WrittenMask& mask);

/// The attribute of linnet::Attention that makes the result NaN for a query without any key.
inline constexpr const char* kNanWithoutKeys = "nan_without_keys";

}  // namespace linnet
