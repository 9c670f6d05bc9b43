#include "message_writer.h"

#include <algorithm>

#include "attribute_writer.h"
#include "tensor_writer.h"
#include "value_type.h"

namespace linnet {

namespace {

constexpr const char* kFunctionDomain = "linnet.functions";
constexpr int64_t kUnusedOpset = 21;  // of ai.onnx, where no node determines it
constexpr const char* kGraphName = "linnet";
constexpr size_t kLeastExternalBytes = 256;

using NodeCounts = std::map<std::string, std::map<int64_t, int>>;  // domain, opset, nodes

void count_nodes(const Graph& graph, NodeCounts& counts) {
  for (const NodeId id : graph.nodes()) {
    const NodeSpec& spec = graph.node(id).spec;
    ++counts[spec.domain][spec.opset];
    for (const auto& [name, attribute] : spec.attributes) {
      if (const auto* body = std::get_if<std::shared_ptr<const Graph>>(&attribute)) count_nodes(**body, counts);
    }
  }
}

std::map<std::string, int64_t> most_common_opsets(const Graph& graph) {
  NodeCounts counts;
  count_nodes(graph, counts);
  std::map<std::string, int64_t> versions{{"", kUnusedOpset}};
  for (const auto& [domain, opsets] : counts) {
    const auto most =
        std::max_element(opsets.begin(), opsets.end(), [](auto& a, auto& b) { return a.second <= b.second; });
    versions[domain] = most->first;
  }
  return versions;
}

template <class Message>
void write_imports(const std::map<std::string, int64_t>& versions, bool calls, Message& message) {
  for (const auto& [domain, version] : versions) {
    pb::OperatorSetIdProto& import = *message.add_opset_import();
    import.set_domain(domain);
    import.set_version(version);
  }
  if (!calls) return;
  pb::OperatorSetIdProto& import = *message.add_opset_import();
  import.set_domain(kFunctionDomain);
  import.set_version(1);
}

void write_value(const std::string& name, const Fact& fact, pb::ValueInfoProto& proto) {
  proto.set_name(name);
  if (fact.present()) write_type(fact, *proto.mutable_type());
}

void write_identity(const std::string& input, const std::string& output, pb::NodeProto& proto) {
  proto.set_op_type("Identity");
  proto.set_name(output);
  proto.add_input(input);
  proto.add_output(output);
}

}  // namespace

std::string MessageWriter::unique(const std::string& wanted) { return unique(wanted, used_); }

std::string MessageWriter::unique(const std::string& wanted, std::set<std::string>& used) {
  const std::string base = wanted.empty() ? "value" : wanted;
  std::string name = base;
  for (int i = 2; !used.insert(name).second; ++i) name = str(base, "_", i);
  return name;
}

// The names of inputs and outputs are the model's interface: they are assigned first and stay as they are.
void MessageWriter::write(const Graph& graph) {
  const Versions versions = most_common_opsets(graph);
  Names names{versions, std::vector<std::string>(size_t(graph.value_count()))};
  pb::GraphProto& proto = *model_.mutable_graph();
  proto.set_name(kGraphName);
  for (const ValueId id : graph.inputs()) {
    names.of[size_t(id)] = unique(graph.value(id).name);
    write_value(names.of[size_t(id)], graph.fact(id), *proto.add_input());
  }
  std::vector<Alias> aliases;
  for (const Graph::Output& output : graph.outputs()) {
    std::string& name = names.of[size_t(output.value)];
    write_value(output.name, graph.fact(output.value), *proto.add_output());
    used_.insert(output.name);
    if (name.empty()) {
      name = output.name;
    } else if (name != output.name) {
      aliases.push_back({name, output.name});
    }
  }
  write_contents(graph, names, aliases, proto);
  for (const NodeId id : graph.nodes()) {
    for (const ValueId output : graph.node(id).outputs) {
      if (output == kNoValue || !graph.fact(output).has_rank() || graph.is_output(output)) continue;
      write_value(names.of[size_t(output)], graph.fact(output), *proto.add_value_info());
    }
  }
  write_imports(versions, model_.functions_size() > 0, model_);
}

// A body's inputs and outputs are matched by position, so their names are free. A captured value keeps its outer name.
void MessageWriter::write_body(const Graph& body, const Node& node, const Names& outer, pb::GraphProto& proto) {
  Names names{outer.versions, std::vector<std::string>(size_t(body.value_count()))};
  proto.set_name(kGraphName);
  const size_t captures = size_t(node.spec.captures), own = body.inputs().size() - captures;
  const bool declared_shapes = body.registry()->declared_shapes(node.spec);
  for (size_t i = 0; i < body.inputs().size(); ++i) {
    const ValueId id = body.inputs()[i];
    std::string& name = names.of[size_t(id)];
    if (i >= own) {
      name = outer.of[size_t(node.inputs[node.inputs.size() - captures + i - own])];
    } else {
      name = unique(body.value(id).name);
      const Fact& fact = body.fact(id);
      write_value(name, declared_shapes ? fact : without_shape(fact), *proto.add_input());
    }
  }
  std::vector<Alias> aliases;
  for (const Graph::Output& output : body.outputs()) {
    std::string& name = names.of[size_t(output.value)];
    const std::string shown = unique(output.name);
    write_value(shown, without_shape(body.fact(output.value)), *proto.add_output());
    if (name.empty()) {
      name = shown;
    } else {
      aliases.push_back({name, shown});
    }
  }
  write_contents(body, names, aliases, proto);
}

void MessageWriter::write_contents(const Graph& graph, Names& names, const std::vector<Alias>& aliases,
                                   pb::GraphProto& proto) {
  write_constants(graph, names, proto);
  for (const NodeId id : graph.nodes()) {
    const Node& node = graph.node(id);
    for (const ValueId output : node.outputs) {
      if (output == kNoValue) continue;
      std::string& name = names.of[size_t(output)];
      if (name.empty()) name = unique(graph.value(output).name);
    }
    write_node(node, names, *proto.add_node());
  }
  for (const Alias& alias : aliases) write_identity(alias.source, alias.name, *proto.add_node());
}

void MessageWriter::write_constants(const Graph& graph, Names& names, pb::GraphProto& proto) {
  for (ValueId id = 0; id < graph.value_count(); ++id) {
    const Value& value = graph.value(id);
    const bool read = !graph.consumers(id).empty() || graph.is_output(id);
    if (!read || value.producer != kNoValue || graph.is_input(id)) continue;
    if (!value.fact.constant) {
      throw Error(ErrorKind::kUnsupported,
                  str("the weights '", value.name, "' were freed when the model was specialized"));
    }
    std::string& name = names.of[size_t(id)];
    if (!name.empty()) {
      write_constant(value.fact.constant, name, *proto.add_initializer());
    } else if (function_depth_ == 0) {
      name = name_in_main_graph(value);
    } else {
      name = unique(value.name);
      write_constant(value.fact.constant, name, *proto.add_initializer());
    }
  }
}

const std::string& MessageWriter::name_in_main_graph(const Value& value) {
  const Tensor& constant = value.fact.constant;
  const std::span<const int64_t> dims = constant.shape().dims();
  const auto [known, added] = names_.try_emplace({constant.address(), constant.dtype(), {dims.begin(), dims.end()}});
  if (added) {
    known->second = unique(value.name);
    write_constant(constant, known->second, *model_.mutable_graph()->add_initializer());
  }
  return known->second;
}

void MessageWriter::write_constant(const Tensor& constant, const std::string& name, pb::TensorProto& proto) {
  const bool inside = !constants_ || constant.dtype() == DType::kString || constant.bytes() < kLeastExternalBytes;
  inside ? write_tensor(constant, name, proto) : write_external_tensor(constant, name, *constants_, proto);
}

void MessageWriter::write_node(const Node& node, const Names& names, pb::NodeProto& proto) {
  const bool imported = names.versions.at(node.spec.domain) == node.spec.opset;
  if (!node.spec.name.empty()) proto.set_name(unique(node.spec.name, node_names_));
  imported ? write_operator(node, names, proto) : write_call(node, names, proto);
}

void MessageWriter::write_operator(const Node& node, const Names& names, pb::NodeProto& proto) {
  proto.set_op_type(node.spec.op_type);
  proto.set_domain(node.spec.domain);
  const size_t own = node.inputs.size() - size_t(node.spec.captures);
  for (size_t i = 0; i < own; ++i) {
    proto.add_input(node.inputs[i] == kNoValue ? "" : names.of[size_t(node.inputs[i])]);
  }
  while (proto.input_size() > 0 && proto.input(proto.input_size() - 1).empty()) proto.mutable_input()->RemoveLast();
  for (const ValueId output : node.outputs) proto.add_output(output == kNoValue ? "" : names.of[size_t(output)]);
  write_attributes(
      node.spec, [&](const Graph& body, pb::GraphProto& message) { write_body(body, node, names, message); }, proto);
}

void MessageWriter::write_call(const Node& node, const Names& names, pb::NodeProto& proto) {
  Versions versions = names.versions;
  versions[node.spec.domain] = node.spec.opset;
  pb::FunctionProto& function = *model_.add_functions();
  function.set_domain(kFunctionDomain);
  function.set_name(str(node.spec.op_type, "_", node.spec.opset, "_", model_.functions_size()));
  write_imports(versions, true, function);
  proto.set_domain(function.domain());
  proto.set_op_type(function.name());
  Names inner{versions, std::vector<std::string>(names.of.size())};
  for (const ValueId input : node.inputs) {
    if (input == kNoValue || !inner.of[size_t(input)].empty()) continue;
    proto.add_input(names.of[size_t(input)]);
    function.add_input(inner.of[size_t(input)] = unique(names.of[size_t(input)]));
  }
  for (const ValueId output : node.outputs) {
    if (output == kNoValue) continue;
    proto.add_output(names.of[size_t(output)]);
    function.add_output(inner.of[size_t(output)] = unique(names.of[size_t(output)]));
  }
  pb::NodeProto& inside = *function.add_node();
  inside.set_name(node.spec.name);
  ++function_depth_;
  write_operator(node, inner, inside);
  --function_depth_;
}

}  // namespace linnet
