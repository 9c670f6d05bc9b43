#pragma once

#include <map>
#include <optional>
#include <string>

#include "graph/graph.h"

namespace linnet {

/// The weights [out channels, in channels / group, k...] of a channels-last linnet::Conv when they are constant, else
/// nullptr.
const Shape* constant_conv_weights(const Graph& graph, const Node& node);
/// A channels-last linnet::Conv of single pixels in one group, with constant weights; likewise of several groups.
bool is_pointwise_conv(const Graph& graph, const Node& node);
/// One with a filter for every channel.
bool is_depthwise_conv(const Graph& graph, const Node& node);
/// A window of one pixel, every pixel has one.
bool has_pixel_windows(const Graph& graph, const Node& node);

/// Bytes that an image of a float32 tensor [N, ...] takes, where its dims are known.
std::optional<int64_t> image_bytes(const Fact& tensor);

/// A Concat along the last axis, of three or more.
bool concatenates_channels(const Graph& graph, const Node& node);

/// The attributes of the activation that is fused into a node, their names behind `prefix`.
Attributes activation_attributes(const Node& node, const std::string& prefix = "");

}  // namespace linnet
