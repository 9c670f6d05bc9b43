#include "rewrites/matching/pointwise.h"

#include "rewrites/matching/match.h"

namespace linnet {
namespace {

bool all(const NodeSpec& spec, const char* name, int64_t value) {
  for (const int64_t entry : spec.attr_or(name, std::vector<int64_t>())) {
    if (entry != value) return false;
  }
  return true;
}

}  // namespace

const Shape* constant_conv_weights(const Graph& graph, const Node& node) {
  if (!is_op(node, "Conv", kInternalDomain) || node.spec.attr_or("x_channels_first", int64_t{0}) != 0) return nullptr;
  const Fact& w = graph.fact(node.inputs[1]);
  return w.constant ? &w.constant.shape() : nullptr;
}

bool has_pixel_windows(const Graph& graph, const Node& node) {
  const Shape* w = constant_conv_weights(graph, node);
  return w && w->elements(2, w->rank()) == 1 && all(node.spec, "strides", 1) && all(node.spec, "pads", 0);
}

bool is_pointwise_conv(const Graph& graph, const Node& node) {
  return has_pixel_windows(graph, node) && node.spec.attr_or("group", int64_t{1}) == 1;
}

bool is_depthwise_conv(const Graph& graph, const Node& node) {
  const Shape* w = constant_conv_weights(graph, node);
  return w && (*w)[0] > 1 && (*w)[0] == node.spec.attr_or("group", int64_t{1}) && (*w)[1] == 1;
}

std::optional<int64_t> image_bytes(const Fact& tensor) {
  if (!tensor.has_rank()) return std::nullopt;
  int64_t bytes = int64_t{sizeof(float)};
  for (int i = 1; i < tensor.rank(); ++i) {
    if (!tensor.dim(i).known()) return std::nullopt;
    bytes = checked_mul(bytes, tensor.dim(i).value());
  }
  return bytes;
}

bool concatenates_channels(const Graph& graph, const Node& node) {
  const Fact& y = graph.fact(node.outputs[0]);
  if (!is_op(node, "Concat") || !y.has_rank() || y.rank() < 3) return false;
  return normalize_axis(node.spec.attr_or("axis", 1), y.rank()) == y.rank() - 1;
}

Attributes activation_attributes(const Node& node, const std::string& prefix) {
  Attributes result;
  for (const char* name : {"activation", "activation_alpha", "activation_beta"}) {
    const auto found = node.spec.attributes.find(name);
    if (found != node.spec.attributes.end()) result[prefix + name] = found->second;
  }
  return result;
}

}  // namespace linnet
