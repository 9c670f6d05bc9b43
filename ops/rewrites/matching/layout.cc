#include "rewrites/matching/layout.h"

#include <numeric>

#include "rewrites/matching/match.h"

namespace linnet {

std::vector<int64_t> perm_to_channels_last(int rank) {
  std::vector<int64_t> perm(size_t(rank), 0);
  std::iota(perm.begin() + 1, perm.end() - 1, 2);
  perm.back() = 1;
  return perm;
}

std::vector<int64_t> perm_to_channels_first(int rank) {
  std::vector<int64_t> perm(size_t(rank), 0);
  perm[1] = rank - 1;
  std::iota(perm.begin() + 2, perm.end(), 1);
  return perm;
}

int channels_last_axis(int axis, int rank) {
  if (axis == 0) return 0;
  return axis == 1 ? rank - 1 : axis - 1;
}

ValueId channels_last_source(const Graph& graph, const Node& node, int input) {
  const Node* transpose = producer(graph, node, input, "Transpose");
  if (!transpose) return kNoValue;
  const auto* perm = transpose->spec.find<std::vector<int64_t>>("perm");
  if (!perm || perm->size() < 3 || *perm != perm_to_channels_first(int(perm->size()))) return kNoValue;
  return transpose->inputs[0];
}

size_t count_channels_last(const Graph& graph, const Node& node) {
  size_t count = 0;
  for (int i = 0; i < int(node.inputs.size()); ++i) count += channels_last_source(graph, node, i) != kNoValue;
  return count;
}

ValueId add_transpose(Patch& patch, const Node& for_node, ValueId value, std::vector<int64_t> perm) {
  NodeSpec spec = standard_spec(for_node, "Transpose", 1);
  spec.attributes["perm"] = std::move(perm);
  return patch.add(std::move(spec), {value});
}

ValueId add_to_channels_last(Patch& patch, const Node& for_node, ValueId value, int rank) {
  return add_transpose(patch, for_node, value, perm_to_channels_last(rank));
}

ValueId add_to_channels_first(Patch& patch, const Node& for_node, ValueId value, int rank) {
  return add_transpose(patch, for_node, value, perm_to_channels_first(rank));
}

Patch on_channels_last(const Graph& graph, const Node& node, NodeSpec spec, const std::vector<ValueId>& inputs,
                       Patch patch) {
  const std::vector<ValueId> outputs = patch.add(std::move(spec), inputs, int(node.outputs.size()));
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (node.outputs[i] == kNoValue) continue;
    const int rank = graph.fact(node.outputs[i]).rank();
    patch.rename(outputs[i], graph.value(node.outputs[i]).name + kChannelsLastSuffix);
    patch.replace(node.outputs[i], add_to_channels_first(patch, node, outputs[i], rank));
  }
  return patch;
}

}  // namespace linnet
