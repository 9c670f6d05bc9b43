#pragma once

#include <optional>
#include <vector>

#include "graph/patch.h"

// Layout changes as Transpose nodes. Channels-first is ONNX's [N, C, D1...], channels-last [N, D1..., C].
namespace linnet {

/// What follows the name of the channels-first value in the name of its channels-last form.
inline constexpr const char* kChannelsLastSuffix = ":channels_last";

std::vector<int64_t> perm_to_channels_last(int rank);
std::vector<int64_t> perm_to_channels_first(int rank);

/// Where axis `axis` of a channels-first tensor lies in channels-last.
int channels_last_axis(int axis, int rank);

/// The channels-last value behind an input that a Transpose turns to channels-first; kNoValue where there is none.
ValueId channels_last_source(const Graph& graph, const Node& node, int input);
/// How many inputs of the node have one.
size_t count_channels_last(const Graph& graph, const Node& node);

/// Adds a Transpose to the patch.
ValueId add_transpose(Patch& patch, const Node& for_node, ValueId value, std::vector<int64_t> perm);
ValueId add_to_channels_last(Patch& patch, const Node& for_node, ValueId value, int rank);
ValueId add_to_channels_first(Patch& patch, const Node& for_node, ValueId value, int rank);

/// A patch that computes `spec` on channels-last inputs and turns each output back to channels-first.
Patch on_channels_last(const Graph& graph, const Node& node, NodeSpec spec, const std::vector<ValueId>& inputs,
                       Patch patch);

}  // namespace linnet
