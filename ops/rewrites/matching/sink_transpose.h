#pragma once

#include <optional>

#include "graph/patch.h"

// One file per kind of operator: each rewrites op(to_channels_first(x)) to to_channels_first(op'(x)), so that chains of
// operators between convolutions run channels-last. Returns nullopt if the node is of another kind or does not qualify.
namespace linnet {

std::optional<Patch> sink_through_elementwise(const Graph& graph, const Node& node);
std::optional<Patch> sink_through_quantization(const Graph& graph, const Node& node);
std::optional<Patch> sink_through_pool(const Graph& graph, const Node& node);
std::optional<Patch> sink_through_concat(const Graph& graph, const Node& node);
std::optional<Patch> sink_through_slice(const Graph& graph, const Node& node);
std::optional<Patch> sink_through_reduction(const Graph& graph, const Node& node);
std::optional<Patch> sink_through_channel_shuffle(const Graph& graph, const Node& node);

}  // namespace linnet
