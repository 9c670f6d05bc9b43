#pragma once

#include <map>
#include <optional>
#include <string>

#include "graph/graph.h"

namespace linnet {

/// The shape [out channels, in channels / group, k...] of the weights of a channels-last linnet::Conv if they are
/// constant, else nullptr.
const Shape* constant_conv_weights(const Graph& graph, const Node& node);
/// Whether a node is a channels-last linnet::Conv of single pixels, in one group, with constant weights.
bool is_pointwise_conv(const Graph& graph, const Node& node);
/// Whether a node is a channels-last linnet::Conv with constant weights and one filter per channel.
bool is_depthwise_conv(const Graph& graph, const Node& node);
/// Whether each window of a channels-last linnet::Conv with constant weights is one pixel, and each pixel has one.
bool has_pixel_windows(const Graph& graph, const Node& node);

/// The bytes of one image of a float32 tensor [N, ...]; nullopt if its dims are unknown.
std::optional<int64_t> image_bytes(const Fact& tensor);

/// Whether a node is a Concat along the last axis of a value of rank 3 or more.
bool concatenates_channels(const Graph& graph, const Node& node);

/// The attributes of the activation that is fused into a node, with `prefix` before their names.
Attributes activation_attributes(const Node& node, const std::string& prefix = "");

}  // namespace linnet
