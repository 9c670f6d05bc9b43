#include "rewrites/matching/clip_bounds.h"

#include <limits>

#include "rewrites/matching/match.h"

namespace linnet {
namespace {

// Reads an attribute before opset 11, a constant input since.
std::optional<float> bound(const Graph& graph, const Node& clip, int input, const char* attribute, float absent) {
  if (clip.spec.opset < 11) return clip.spec.attr_or(attribute, absent);
  if (!graph.input_fact(clip, input).present()) return absent;
  return scalar_input(graph, clip, input);
}

}  // namespace

std::optional<ClipBounds> clip_bounds(const Graph& graph, const Node& clip) {
  const auto low = bound(graph, clip, 1, "min", -std::numeric_limits<float>::infinity());
  const auto high = bound(graph, clip, 2, "max", std::numeric_limits<float>::infinity());
  if (!low || !high) return std::nullopt;
  return ClipBounds{*low, *high};
}

}  // namespace linnet
