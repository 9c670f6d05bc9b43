#pragma once

#include <optional>
#include <vector>

#include "graph/patch.h"

// Layout changes as Transpose nodes. Channels-first is ONNX's [N, C, D1...], channels-last [N, D1..., C].
namespace linnet {

/// The suffix of a channels-last value, after the name of the channels-first value.
inline constexpr const char* kChannelsLastSuffix = ":channels_last";

std::vector<int64_t> perm_to_channels_last(int rank);
std::vector<int64_t> perm_to_channels_first(int rank);

/// The position in channels-last order of axis `axis` of a channels-first tensor.
int channels_last_axis(int axis, int rank);

/// The channels-last value that a Transpose converts to channels-first for this input; else kNoValue.
ValueId channels_last_source(const Graph& graph, const Node& node, int input);
/// The number of the node's inputs that have a channels-last source.
size_t count_channels_last(const Graph& graph, const Node& node);

/// Adds a Transpose of `value` to the patch; returns its output. The new node has the name and opset of `for_node`.
ValueId add_transpose(Patch& patch, const Node& for_node, ValueId value, std::vector<int64_t> perm);
ValueId add_to_channels_last(Patch& patch, const Node& for_node, ValueId value, int rank);
ValueId add_to_channels_first(Patch& patch, const Node& for_node, ValueId value, int rank);

/// Completes `patch` so that it computes `spec` on channels-last inputs and converts each output back to
/// channels-first.
Patch on_channels_last(const Graph& graph, const Node& node, NodeSpec spec, const std::vector<ValueId>& inputs,
                       Patch patch);

}  // namespace linnet
