#include <algorithm>

#include "rewrites/define_rewrite.h"
#include "rewrites/matching/match.h"
#include "rewrites/matching/pad_amounts.h"

namespace linnet {
namespace {

// The pads of the spatial axes, begins then ends; nullopt if other axes are padded or a pad is negative.
std::optional<std::vector<int64_t>> spatial_pads(const Graph& graph, const Node& pad) {
  const auto all = pad_amounts(graph, pad);
  if (!all || all->size() < 6 || *std::min_element(all->begin(), all->end()) < 0) return std::nullopt;
  const size_t rank = all->size() / 2;
  if ((*all)[0] + (*all)[1] + (*all)[rank] + (*all)[rank + 1] != 0) return std::nullopt;
  std::vector<int64_t> result(all->begin() + 2, all->begin() + std::ptrdiff_t(rank));
  result.insert(result.end(), all->begin() + std::ptrdiff_t(rank) + 2, all->end());
  return result;
}

// The explicit pads of a Conv or pool; nullopt if they depend on the shapes.
std::optional<std::vector<int64_t>> window_pads(const NodeSpec& spec, size_t count) {
  const std::string auto_pad = spec.attr_or("auto_pad", "NOTSET");
  const std::vector<int64_t> none(count, 0);
  if (auto_pad == "VALID") return none;
  auto pads = spec.attr_or("pads", none);
  if (auto_pad != "NOTSET" || pads.size() != count) return std::nullopt;
  return pads;
}

// Whether no window of an AveragePool can be entirely in the padding, which is not allowed.
bool reaches_data(const NodeSpec& spec, const std::vector<int64_t>& pads) {
  const auto& kernel = spec.attr<std::vector<int64_t>>("kernel_shape");
  const auto dilations = spec.attr_or("dilations", std::vector<int64_t>(kernel.size(), 1));
  for (size_t i = 0; i < pads.size(); ++i) {
    const size_t axis = i % kernel.size();
    if (pads[i] > checked_mul(kernel[axis] - 1, dilations[axis])) return false;
  }
  return 2 * kernel.size() == pads.size();
}

// Whether padding counts in the mean, as the zeros of the Pad did: existing pads, if any, must count already.
bool counts_padding(const NodeSpec& spec, const std::vector<int64_t>& own) {
  const bool unpadded = std::all_of(own.begin(), own.end(), [](int64_t pad) { return pad == 0; });
  return (unpadded || spec.attr_or("count_include_pad", false)) && !spec.attr_or("ceil_mode", false);
}

}  // namespace

// Conv(Pad(x)) -> Conv(x) with the sum of both pads, if the Pad adds zeros to spatial axes. AveragePool likewise, which
// then counts its padding. MaxPool is excluded, because its padding is not zero.
LINNET_DEFINE_REWRITE(fold_pad_into_window, "Conv", "AveragePool")(const Graph& graph, const Node& node) {
  const Node* pad = producer(graph, node, 0, "Pad");
  const auto added = pad && pads_with_zeros(graph, *pad) ? spatial_pads(graph, *pad) : std::nullopt;
  const auto own = added ? window_pads(node.spec, added->size()) : std::nullopt;
  if (!own) return std::nullopt;
  std::vector<int64_t> pads(added->size());
  for (size_t i = 0; i < pads.size(); ++i) pads[i] = checked_add((*own)[i], (*added)[i]);
  NodeSpec spec = node.spec;
  spec.attributes.erase("auto_pad");
  spec.attributes["pads"] = pads;
  if (is_op(node, "AveragePool")) {
    if (!counts_padding(spec, *own) || !reaches_data(spec, pads)) return std::nullopt;
    spec.attributes["count_include_pad"] = int64_t{1};
    spec.opset = std::max<int64_t>(spec.opset, 7);
  }
  std::vector<ValueId> inputs = node.inputs;
  inputs[0] = pad->inputs[0];
  Patch patch(graph);
  patch.replace(node.outputs[0], patch.add(spec, inputs));
  return patch;
}

}  // namespace linnet
