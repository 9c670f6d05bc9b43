#include "expansion/graph_writer.h"

#include <map>

namespace linnet {

ValueId GraphWriter::ints(const std::vector<int64_t>& values) {
  return constant(Tensor::of<int64_t>({int64_t(values.size())}, values));
}

ValueId GraphWriter::op(const std::string& op_type, const std::vector<ValueId>& inputs, const Attributes& attributes) {
  return op(op_type, inputs, 1, attributes)[0];
}

std::vector<ValueId> GraphWriter::op(const std::string& op_type, const std::vector<ValueId>& inputs, int outputs,
                                     const Attributes& attributes) {
  NodeSpec spec;
  spec.op_type = op_type;
  spec.opset = kOpset;
  spec.attributes = attributes;
  return node(std::move(spec), inputs, outputs);
}

std::vector<ValueId> GraphWriter::node(NodeSpec spec, const std::vector<ValueId>& inputs, int outputs) {
  if (!name_.empty()) spec.name = str(name_, "/", spec.op_type, "_", ++count_);
  std::vector<std::string> names;
  for (int i = 0; i < outputs; ++i) names.push_back(fresh());
  return add(std::move(spec), inputs, names);
}

ValueId GraphWriter::reshape(ValueId x, const std::vector<int64_t>& shape) {
  return op("Reshape", {x, ints(shape)}, {{"allowzero", int64_t{1}}});
}

ValueId GraphWriter::dim(ValueId x, int i) {
  const Fact& known = fact(x);
  if (known.has_rank() && known.dim(i).known()) return ints({known.dim(i).value()});
  return op("Shape", {x}, {{"start", int64_t{i}}, {"end", int64_t{i} + 1}});
}

ValueId GraphWriter::sum(ValueId a, ValueId b) {
  const Tensor &x = fact(a).constant, &y = fact(b).constant;
  return x && y ? ints({checked_add(*x.data<int64_t>(), *y.data<int64_t>())}) : op("Add", {a, b});
}

ValueId GraphWriter::range(ValueId limit) {
  const Tensor& known = fact(limit).constant;
  const ValueId end = known ? constant(known.reshaped(Shape{})) : op("Squeeze", {limit});
  return op("Range", {constant(Tensor::scalar<int64_t>(0)), end, constant(Tensor::scalar<int64_t>(1))});
}

ValueId GraphWriter::inlined(const Graph& body, const std::vector<ValueId>& inputs) {
  std::map<ValueId, ValueId> copies{{kNoValue, kNoValue}};
  for (size_t i = 0; i < inputs.size(); ++i) copies[body.inputs()[i]] = inputs[i];
  const auto copy_of = [&](ValueId value) {
    const auto [found, is_new] = copies.try_emplace(value, kNoValue);
    if (is_new) found->second = constant(body.fact(value).constant);
    return found->second;
  };
  for (const NodeId id : body.nodes()) {
    const Node& old = body.node(id);
    std::vector<ValueId> node_inputs;
    for (const ValueId value : old.inputs) node_inputs.push_back(copy_of(value));
    std::vector<std::string> names;
    for (const ValueId value : old.outputs) names.push_back(value == kNoValue ? "" : fresh());
    const std::vector<ValueId> outputs = add(old.spec, node_inputs, names);
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (old.outputs[i] != kNoValue) copies[old.outputs[i]] = outputs[i];
    }
  }
  return copy_of(body.outputs()[0].value);
}

Graph GraphWriter::finish(const std::vector<ValueId>& outputs) {
  for (const ValueId output : outputs) graph_.add_output(graph_.value(output).name, output);
  graph_.drop_dead_nodes();
  return std::move(graph_);
}

std::vector<ValueId> GraphWriter::add(NodeSpec spec, const std::vector<ValueId>& inputs,
                                      const std::vector<std::string>& names) {
  const Node& added = graph_.node(graph_.add_node(std::move(spec), inputs, names));
  const std::vector<Fact> facts = infer_node(added, input_facts(graph_, added));
  for (size_t i = 0; i < facts.size(); ++i) {
    if (added.outputs[i] != kNoValue) graph_.set_fact(added.outputs[i], facts[i]);
  }
  return added.outputs;
}

}  // namespace linnet
