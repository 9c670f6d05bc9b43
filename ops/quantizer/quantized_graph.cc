#include "quantizer/quantized_graph.h"

#include <algorithm>

namespace linnet {
namespace {

/// The opset of ai.onnx: the newest of the graph's nodes or the one that quantised operators need.
int64_t opset_of(const Graph& graph, const QuantizeOptions& options) {
  int64_t opset = needed_opset(options);
  for (const NodeId id : graph.nodes()) {
    const NodeSpec& spec = graph.node(id).spec;
    if (spec.domain.empty()) opset = std::max(opset, spec.opset);
  }
  return opset;
}

/// Adds the quantised layer on x, which is on its grid if it has one.
ValueId write_layer(FormWriter& writer, const Graph& graph, const QuantizedParts& parts, const Layer& layer, ValueId x,
                    const QuantizeOptions& options) {
  const Node& node = graph.node(layer.node);
  const std::string& name = graph.value(node.outputs[0]).name;
  const WeightGrid grid{options.per_channel, options.reduce_range};
  switch (options.mode) {
    case QuantizeMode::kStatic:
      return writer.with_byte_weights(layer, node, x, *parts.grid(node.inputs[0]), grid, name);
    case QuantizeMode::kDynamic:
      return writer.on_dynamic_grid(layer, node, x, grid, name);
    case QuantizeMode::kInt4:
      break;
  }
  return writer.with_block_weights(layer, node, x, options.block_size, name);
}

/// Writes a new graph, node by node.
class Transcript {
 public:
  Transcript(const Graph& graph, const QuantizedParts& parts, const QuantizeOptions& options)
      : graph_(graph),
        parts_(parts),
        options_(options),
        result_(graph.registry()),
        opset_(opset_of(graph, options)),
        writer_(result_, opset_),
        written_(size_t(graph.value_count()), kNoValue) {
    for (const Layer& layer : parts.layers) layers_[layer.node] = &layer;
  }

  Graph write() {
    for (const ValueId id : graph_.inputs()) define(id, result_.add_input(graph_.value(id).name, graph_.fact(id)));
    for (const NodeId id : graph_.nodes()) write_node(graph_.node(id));
    for (const Graph::Output& output : graph_.outputs()) result_.add_output(output.name, written(output.value));
    return std::move(result_);
  }

 private:
  ValueId written(ValueId id) {
    if (id == kNoValue) return kNoValue;
    ValueId& known = written_[size_t(id)];
    if (known == kNoValue) known = result_.add_constant(graph_.value(id).name, graph_.fact(id).constant);
    return known;
  }

  void define(ValueId id, ValueId value) {
    const ActivationGrid* grid = parts_.grid(id);
    written_[size_t(id)] = grid ? writer_.on_grid(value, *grid) : value;
  }

  void write_node(const Node& node) {
    const auto layer = layers_.find(node.id);
    if (layer != layers_.end()) {
      const ValueId x = written(node.inputs[0]);
      return define(node.outputs[0], write_layer(writer_, graph_, parts_, *layer->second, x, options_));
    }
    std::vector<ValueId> inputs;
    for (const ValueId input : node.inputs) inputs.push_back(written(input));
    std::vector<std::string> names;
    for (const ValueId id : node.outputs) names.push_back(id == kNoValue ? "" : graph_.value(id).name);
    const NodeSpec spec = raise_opset(node.spec, opset_, needed_opset(options_));
    const std::vector<ValueId> outputs = result_.node(result_.add_node(spec, inputs, names)).outputs;
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i] != kNoValue) define(node.outputs[i], outputs[i]);
    }
  }

  const Graph& graph_;
  const QuantizedParts& parts_;
  const QuantizeOptions& options_;
  Graph result_;
  int64_t opset_;
  FormWriter writer_;
  std::vector<ValueId> written_;  // Indexed by the values of the original graph.
  std::map<NodeId, const Layer*> layers_;
};

}  // namespace

const ActivationGrid* QuantizedParts::grid(ValueId value) const {
  const auto group = placement.group.find(value);
  return group == placement.group.end() ? nullptr : &grids[group->second];
}

Graph quantized_graph(const Graph& graph, const QuantizedParts& parts, const QuantizeOptions& options) {
  return Transcript(graph, parts, options).write();
}

LayerPairs layer_pairs(const Graph& graph, const QuantizedParts& parts, const QuantizeOptions& options) {
  LayerPairs pairs{graph, {}};
  FormWriter writer(pairs.graph, opset_of(graph, options));
  for (const Layer& layer : parts.layers) {
    const Node& node = graph.node(layer.node);
    const ActivationGrid* x_grid = parts.grid(node.inputs[0]);
    const ActivationGrid* y_grid = parts.grid(node.outputs[0]);
    const ValueId x = x_grid ? writer.on_grid(node.inputs[0], *x_grid) : node.inputs[0];
    const ValueId y = write_layer(writer, graph, parts, layer, x, options);
    pairs.values.push_back(node.outputs[0]);
    pairs.values.push_back(y_grid ? writer.on_grid(y, *y_grid) : y);
  }
  return pairs;
}

}  // namespace linnet
