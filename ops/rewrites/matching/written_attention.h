#pragma once

#include <string>
#include <variant>
#include <vector>

#include "graph/graph.h"

namespace linnet {

/// One change of the scores before the softmax.
struct WrittenMask {
  ValueId summand = kNoValue;    ///< is added to them
  ValueId condition = kNoValue;  ///< or they become `hidden` where it is not `kept`
  bool kept = true;
  float hidden = 0;
};

/// Attention as exporters spell it out, on [batch, heads, length, size] or [heads, length, size]:
/// MatMul(Softmax(mask(softcap * Tanh(scale / softcap * MatMul(q, k^T)))), v).
struct WrittenAttention {
  ValueId q = kNoValue, k_transposed = kNoValue, v = kNoValue;
  double scale = 1;
  double softcap = 0;              ///< 0: none
  std::vector<WrittenMask> masks;  ///< in the order in which they apply
  bool zero_where_nan = false;     ///< probabilities that are NaN become 0
};

/// The attention whose last product a node is, or what keeps it from being one: empty where nothing is like one.
std::variant<WrittenAttention, std::string> written_attention(const Graph& graph, const Node& node);

/// Why a node is not the last product of an attention though a Softmax lies before it; empty for all others.
LINNET_API std::string attention_obstacle(const Graph& graph, const Node& node);

/// True where a mask leaves a finite score whatever the inputs of a run are.
bool is_finite(const Graph& graph, const WrittenMask& mask);

/// The attribute of linnet::Attention by which a query without any key gives NaN.
inline constexpr const char* kNanWithoutKeys = "nan_without_keys";

}  // namespace linnet
