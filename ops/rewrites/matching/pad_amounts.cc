#include "rewrites/matching/pad_amounts.h"

#include <numeric>

#include "infer/infer.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

std::optional<std::vector<int64_t>> padded_axes(const Graph& graph, const Node& pad, int rank) {
  if (pad.spec.opset >= 18 && graph.input_fact(pad, 3).present()) return constant_ints(graph.input_fact(pad, 3));
  std::vector<int64_t> all(static_cast<size_t>(rank));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::optional<std::vector<int64_t>> listed_pads(const Graph& graph, const Node& pad) {
  if (pad.spec.opset >= 11) return constant_ints(graph.input_fact(pad, 1));
  return pad.spec.attr<std::vector<int64_t>>(pad.spec.opset < 2 ? "paddings" : "pads");
}

}  // namespace

std::optional<std::vector<int64_t>> pad_amounts(const Graph& graph, const Node& pad) {
  const Fact& x = graph.input_fact(pad, 0);
  if (!x.has_rank()) return std::nullopt;
  const int rank = x.rank();
  const auto pads = listed_pads(graph, pad), axes = padded_axes(graph, pad, rank);
  if (!pads || !axes || pads->size() != 2 * axes->size()) return std::nullopt;
  std::vector<int64_t> result(2 * size_t(rank), 0);
  for (size_t i = 0; i < axes->size(); ++i) {
    const auto axis = size_t(normalize_axis((*axes)[i], rank));
    result[axis] = (*pads)[i];
    result[axis + size_t(rank)] = (*pads)[i + axes->size()];
  }
  return result;
}

bool pads_with_zeros(const Graph& graph, const Node& pad) {
  if (pad.spec.attr_or("mode", "constant") != "constant") return false;
  if (pad.spec.opset < 11) return pad.spec.attr_or("value", 0.f) == 0;
  return !graph.input_fact(pad, 2).present() || scalar_input(graph, pad, 2) == 0.f;
}

}  // namespace linnet
