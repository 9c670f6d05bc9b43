#pragma once

#include <optional>

#include "graph/patch.h"

// One file per kind of operator: each turns op(to_channels_first(x)) into to_channels_first(op'(x)), so that chains of
// operators between convolutions run channels-last. nullopt where the node is of another kind or does not qualify.
namespace linnet {

std::optional<Patch> sink_through_elementwise(const Graph& graph, const Node& node);
std::optional<Patch> sink_through_quantization(const Graph& graph, const Node& node);
std::optional<Patch> sink_through_pool(const Graph& graph, const Node& node);
std::optional<Patch> sink_through_concat(const Graph& graph, const Node& node);
std::optional<Patch> sink_through_slice(const Graph& graph, const Node& node);
std::optional<Patch> sink_through_reduction(const Graph& graph, const Node& node);
std::optional<Patch> sink_through_channel_shuffle(const Graph& graph, const Node& node);

}  // namespace linnet
