#include "infer/infer.h"
#include "rewrites/define_rewrite.h"
#include "rewrites/matching/match.h"

namespace linnet {
namespace {

/// The channels [begin, end) of a channels-last image.
struct ChannelRange {
  ValueId source;
  int64_t begin, end;
};

using FoundRange = std::optional<ChannelRange>;

FoundRange whole(const Graph& graph, ValueId value) {
  const Fact& fact = graph.fact(value);
  if (!fact.has_rank() || fact.rank() != 4 || !fact.dim(3).known()) return std::nullopt;
  return ChannelRange{value, 0, fact.dim(3).value()};
}

bool along_channels(const Node& node) { return normalize_axis(node.spec.attr_or("axis", 0), 4) == 3; }

FoundRange split_range(const Graph& graph, const Node& split, ValueId value) {
  if (!along_channels(split)) return std::nullopt;
  int64_t begin = 0;
  for (const ValueId output : split.outputs) {
    const auto part = output == kNoValue ? std::nullopt : whole(graph, output);
    if (!part) return std::nullopt;
    if (output == value) return ChannelRange{split.inputs[0], begin, begin + part->end};
    begin += part->end;
  }
  return std::nullopt;
}

std::optional<int64_t> only_int(const Graph& graph, const Node& node, int input) {
  const auto ints = constant_ints(graph.input_fact(node, input));
  return ints && ints->size() == 1 ? std::optional(ints->front()) : std::nullopt;
}

FoundRange slice_range(const Graph& graph, const Node& slice, ValueId value) {
  const auto all = whole(graph, slice.inputs[0]), part = whole(graph, value);
  const auto start = only_int(graph, slice, 1), axis = only_int(graph, slice, 3);
  const bool steps = graph.input_fact(slice, 4).present() && only_int(graph, slice, 4) != 1;
  if (!all || !part || !start || !axis || steps || normalize_axis(*axis, 4) != 3) return std::nullopt;
  const int64_t begin = std::clamp<int64_t>(*start < 0 ? *start + all->end : *start, 0, all->end);
  return ChannelRange{slice.inputs[0], begin, begin + part->end};
}

FoundRange range_of(const Graph& graph, ValueId value) {
  const Node* node = graph.producer(value);
  if (node && whole(graph, value)) {
    if (is_op(*node, "Split")) return split_range(graph, *node, value);
    if (is_op(*node, "Slice")) return slice_range(graph, *node, value);
  }
  return std::nullopt;
}

/// The channels of a value, which may be a Concat of consecutive ranges.
FoundRange joined_range(const Graph& graph, ValueId value) {
  const Node* concat = graph.producer(value);
  if (!concat || !is_op(*concat, "Concat") || !whole(graph, value)) return range_of(graph, value);
  if (!along_channels(*concat)) return std::nullopt;
  FoundRange joined;
  for (const ValueId input : concat->inputs) {
    const FoundRange next = range_of(graph, input);
    if (!next || (joined && (next->source != joined->source || next->begin != joined->end))) return std::nullopt;
    joined = ChannelRange{next->source, joined ? joined->begin : next->begin, next->end};
  }
  return joined;
}

}  // namespace

// linnet::DeformConv(x, w, v[..., :2n], b, Sigmoid(v[..., 2n:])) -> linnet::DeformConv(x, w, v, b) with mask_in_offset.
// The parts are results of a Split or of Slices; the offset may be a Concat of such (Deformable ConvNets v2).
LINNET_DEFINE_REWRITE(fuse_mask_into_deform_conv, internal_op("DeformConv"))(const Graph& graph, const Node& node) {
  const Node* sigmoid = producer(graph, node, 4, "Sigmoid");
  if (!sigmoid) return std::nullopt;
  const FoundRange offset = joined_range(graph, node.inputs[2]), mask = range_of(graph, sigmoid->inputs[0]);
  if (!offset || !mask || offset->source != mask->source) return std::nullopt;
  const FoundRange all = whole(graph, mask->source);
  if (!all || offset->begin != 0 || offset->end != mask->begin || mask->end != all->end) return std::nullopt;
  NodeSpec spec = internal_spec(node, "DeformConv");
  spec.attributes["mask_in_offset"] = int64_t{1};
  std::vector<ValueId> inputs = node.inputs;
  inputs[2] = mask->source;
  inputs[4] = kNoValue;
  Patch patch(graph);
  patch.replace(node.outputs[0], patch.add(spec, inputs));
  return patch;
}

}  // namespace linnet
