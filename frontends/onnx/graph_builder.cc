#include "graph_builder.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "attribute_value.h"
#include "describe.h"
#include "environment/run_environment.h"
#include "loader_limits.h"
#include "topological_order.h"
#include "unchanged_values.h"
#include "value_type.h"

namespace linnet {

namespace {

template <class F>
decltype(auto) with_context(const char* kind, const std::string& name, F&& f) {
  try {
    return f();
  } catch (const Error& error) {
    throw error.with_context(str(kind, " '", name, "'"));
  }
}

// Decrements the depth left while a body or a call is being built.
class DepthGuard {
 public:
  explicit DepthGuard(int64_t& left) : left_(left) {
    if (left_ == 0) throw Error(ErrorKind::kLimit, "bodies and functions nest too deeply");
    --left_;
  }
  ~DepthGuard() { ++left_; }
  DepthGuard(const DepthGuard&) = delete;

 private:
  int64_t& left_;
};

SeededSet<std::string_view> initializer_names(const pb::GraphProto& proto) {
  SeededSet<std::string_view> names;
  const auto add = [&names](std::string_view name) {
    check_current();
    names.insert(name);
  };
  for (const pb::TensorProto& tensor : proto.initializer()) add(tensor.name());
  for (const pb::SparseTensorProto& tensor : proto.sparse_initializer()) add(tensor.values().name());
  return names;
}

// Until IR version 3, initializers had to be listed as inputs, too. Those are not inputs of the graph.
template <class MakeFact>
void add_inputs(Scope& scope, const pb::GraphProto& proto, MakeFact make_fact) {
  if (proto.input().empty()) return;
  const auto initializers = initializer_names(proto);
  for (const pb::ValueInfoProto& input : proto.input()) {
    if (initializers.contains(input.name())) continue;
    scope.nested().count_value(input.name());
    with_context("input", input.name(),
                 [&] { scope.define(input.name(), scope.graph().add_input(input.name(), make_fact(input))); });
  }
}

/// Returns what is declared of a body's input: its dtype and, if declared shapes count, the dims that are numbers.
Fact body_input_fact(const pb::ValueInfoProto& input, bool declared_shapes) {
  if (!input.has_type()) return {};
  Fact fact = fact_from_proto(input.type());
  if (!declared_shapes) return without_shape(fact);
  if (fact.dims) {
    for (Dim& dim : *fact.dims) dim = dim.known() ? dim : Dim();
  }
  return fact;
}

// The main graph holds all initializers under their names in the file, and bodies capture them. To replace one, a
// caller changes it in one place.
template <class Read>
void add_constant(Scope& scope, const std::string& name, Read read) {
  check_current();
  with_context("initializer", name, [&] {
    scope.nested().count_value(name);
    scope.define_in_main_graph(name, scope.nested().outermost().graph.add_constant(name, read()));
  });
}

void add_sparse_constants(Scope& scope, const pb::GraphProto& proto, TensorReader& tensors) {
  for (const pb::SparseTensorProto& tensor : proto.sparse_initializer()) {
    add_constant(scope, tensor.values().name(), [&] { return tensors.read(tensor); });
  }
}

void add_outputs(const Scope& scope, const pb::GraphProto& proto) {
  constexpr size_t kOutputBytes = 2048;  // in graphs, plans and contexts
  for (const pb::ValueInfoProto& output : proto.output()) {
    with_context("output", output.name(), [&] {
      scope.nested().count(kOutputBytes + output.name().size());
      const ValueId value = scope.find(output.name());
      if (value == kNoValue) throw Error(ErrorKind::kModel, "the caller of the function omitted this value");
      scope.graph().add_output(output.name(), value);
    });
  }
}

std::vector<std::string> shown_outputs(const Scope& scope, const pb::NodeProto& node,
                                       const std::map<size_t, ValueId>& left_out) {
  std::vector<std::string> names;
  for (int i = 0; i < node.output_size(); ++i) {
    if (left_out.contains(size_t(i))) continue;
    names.push_back(node.output(i).empty() ? std::string() : scope.shown_name(node.output(i)));
    scope.nested().count(names.back().size());
  }
  return names;
}

NodeSpec make_spec(const Scope& scope, const pb::NodeProto& node) {
  NodeSpec spec;
  spec.op_type = node.op_type();
  spec.domain = normalize_domain(node.domain());
  spec.name = scope.prefix() + node_name(node);
  spec.opset = scope.opsets().version(spec.domain);
  return spec;
}

// Returns the number of bytes that a node takes in a graph, without its attributes and the names of its outputs.
size_t node_bytes(const NodeSpec& spec, const pb::NodeProto& node) {
  constexpr size_t kObjects = 768;     // its operator and kernel, and the overhead of lists and shared objects
  constexpr int64_t kFewEdges = 64;    // inputs and outputs
  constexpr int64_t kEdgeBytes = 768;  // what passes and kernels store for each further edge while processing
  const int64_t outputs = checked_mul(node.output_size(), int64_t(sizeof(Value)));
  const int64_t edges = std::max<int64_t>(0, int64_t{node.input_size()} + node.output_size() - kFewEdges);
  return kObjects + sizeof(Node) + size_t(outputs) + size_t(checked_mul(edges, kEdgeBytes)) + spec.name.size();
}

void check_call(const pb::NodeProto& node, const pb::FunctionProto& function) {
  if (node.input_size() <= function.input_size() && node.output_size() <= function.output_size()) return;
  throw Error(ErrorKind::kModel, str("the function has ", function.input_size(), " inputs and ", function.output_size(),
                                     " outputs, the call ", node.input_size(), " and ", node.output_size()));
}

}  // namespace

GraphBuilder::GraphBuilder(const FunctionTable& functions, TensorReader& tensors, const ModelOptions& options)
    : functions_(functions),
      tensors_(tensors),
      nodes_left_(node_limit(options.limits)),
      depth_left_(depth_limit(options.limits)) {}

GraphBuilder::Built GraphBuilder::build(const pb::GraphProto& proto, const OpsetImports& opsets,
                                        std::shared_ptr<const Registry> registry,
                                        std::span<const ValueInfo> overridable) {
  if (proto.output_size() == 0) throw Error(ErrorKind::kModel, "the graph has no outputs");
  NestedGraph nested(std::move(registry), *counted_);
  Scope scope(nested, opsets);
  for (const pb::ValueInfoProto& output : proto.output()) outputs_.emplace(output.name(), &output);
  add_inputs(scope, proto, [](const pb::ValueInfoProto& input) { return fact_from_proto(input.type()); });
  std::vector<Tensor> defaults = add_overridable(scope, proto, overridable);
  SeededSet<std::string_view> added;
  for (const ValueInfo& info : overridable) added.insert(info.name);
  for (const pb::TensorProto& tensor : proto.initializer()) {
    if (added.erase(tensor.name()) > 0) continue;
    add_constant(scope, tensor.name(), [&] { return tensors_.read_later(tensor); });
  }
  add_sparse_constants(scope, proto, tensors_);
  add_nodes(scope, proto.node());
  add_outputs(scope, proto);
  return {std::move(nested.graph), std::move(defaults), counted_};
}

std::vector<Tensor> GraphBuilder::add_overridable(Scope& scope, const pb::GraphProto& proto,
                                                  std::span<const ValueInfo> overridable) {
  if (overridable.empty()) return {};
  SeededMap<std::string_view, const pb::TensorProto*> initializers;
  for (const pb::TensorProto& tensor : proto.initializer()) {
    check_current();
    initializers[tensor.name()] = &tensor;
  }
  std::vector<Tensor> defaults;
  for (const ValueInfo& info : overridable) {
    with_context("initializer", info.name, [&] {
      defaults.push_back(tensors_.read_later(*initializers.at(info.name)));
      if (!fits(info.fact, defaults.back())) {
        throw Error(ErrorKind::kModel, str("as an input it is ", info.fact, ", not ", describe(defaults.back())));
      }
      Fact input = info.fact.present() ? info.fact : Fact(defaults.back().dtype(), defaults.back().shape());
      scope.define(info.name, scope.graph().add_input(info.name, std::move(input)));
    });
  }
  return defaults;
}

void GraphBuilder::add_nodes(Scope& scope, const NodeProtos& nodes) {
  for (const int i : topological_order(nodes)) {
    check_current();
    count_node();
    if (const Function* function = functions_.find(nodes[i])) {
      with_context(("call of " + function->describe()).c_str(), node_name(nodes[i]),
                   [&] { inline_call(scope, nodes[i], *function); });
    } else {
      add_operator(scope, nodes[i]);
    }
  }
}

void GraphBuilder::count_node() {
  if (nodes_left_-- > 0) return;
  throw Error(ErrorKind::kLimit, "the model has too many nodes, functions inlined");
}

void GraphBuilder::add_operator(Scope& scope, const pb::NodeProto& node) {
  const NodeSpec named = make_spec(scope, node);
  scope.nested().count(node_bytes(named, node));
  NodeSpec spec = named;
  std::vector<ValueId> inputs;
  std::map<size_t, ValueId> unchanged;  // outputs that equal values from before the node
  with_node_context(named, [&] {
    inputs = read_inputs(scope, node);
    read_attributes(scope, node, spec, inputs);
    unchanged = capture_unchanged(scope.graph(), spec, inputs, node.output_size());
  });
  const std::vector<std::string> outputs = shown_outputs(scope, node, unchanged);
  std::vector<Fact> declared = unchanged.empty() ? declared_outputs(scope, node) : std::vector<Fact>();
  const NodeId id = scope.graph().add_node(std::move(spec), std::move(inputs), outputs, std::move(declared));
  with_node_context(named, [&] {
    auto computed = scope.graph().node(id).outputs.begin();
    for (int i = 0; i < node.output_size(); ++i) {
      const auto known = unchanged.find(size_t(i));
      const ValueId value = known == unchanged.end() ? *computed++ : known->second;
      if (!node.output(i).empty()) scope.define(node.output(i), value);
    }
  });
}

std::vector<Fact> GraphBuilder::declared_outputs(const Scope& scope, const pb::NodeProto& node) const {
  std::vector<Fact> facts;
  if (&scope.nested() != &scope.nested().outermost() || !scope.prefix().empty()) return facts;
  for (int i = 0; i < node.output_size(); ++i) {
    const auto found = outputs_.find(node.output(i));
    if (found == outputs_.end()) continue;
    facts.resize(size_t(i) + 1);
    facts.back() = declared_fact(found->second->type());
  }
  return facts;
}

std::vector<ValueId> GraphBuilder::read_inputs(const Scope& scope, const pb::NodeProto& node) {
  std::vector<ValueId> inputs;
  for (const std::string& name : node.input()) inputs.push_back(name.empty() ? kNoValue : scope.find(name));
  return inputs;
}

void GraphBuilder::read_attributes(const Scope& scope, const pb::NodeProto& node, NodeSpec& spec,
                                   std::vector<ValueId>& inputs) {
  std::vector<ValueId> captures;
  std::vector<Body> bodies;
  const bool declared_shapes = scope.graph().registry()->declared_shapes(spec);
  for (const pb::AttributeProto& attribute : node.attribute()) {
    with_context("attribute", attribute.name(), [&] {
      const auto value = scope.resolve(attribute);
      if (!value) return;
      Attribute read = int64_t{0};
      if (attribute_type(*value->proto) == pb::AttributeProto::GRAPH) {
        bodies.push_back({attribute.name(), build_body(scope.nested(), captures, *value, declared_shapes)});
      } else {
        scope.nested().count(attribute.name().size() + attribute_bytes(*value->proto));
        read = attribute_value(*value->proto, tensors_);
      }
      if (!spec.attributes.emplace(attribute.name(), std::move(read)).second) {
        throw Error(ErrorKind::kModel, "is given twice");
      }
    });
  }
  for (Body& body : bodies) {
    body.nested->add_capture_inputs();
    spec.attributes[body.attribute] = std::make_shared<const Graph>(std::move(body.nested->graph));
  }
  while (!inputs.empty() && inputs.back() == kNoValue) inputs.pop_back();
  if (captures.empty()) return;
  const auto own = size_t(scope.graph().registry()->own_inputs(spec));
  if (inputs.size() < own) inputs.resize(own, kNoValue);
  spec.captures = int(captures.size());
  inputs.insert(inputs.end(), captures.begin(), captures.end());
}

std::unique_ptr<NestedGraph> GraphBuilder::build_body(NestedGraph& outer, std::vector<ValueId>& captures,
                                                      const ScopedAttribute& attribute, bool declared_shapes) {
  const DepthGuard guard(depth_left_);
  const pb::GraphProto& proto = attribute.proto->g();
  auto nested = std::make_unique<NestedGraph>(outer, captures);
  Scope scope(*nested, *attribute.scope);
  add_inputs(scope, proto, [&](const pb::ValueInfoProto& input) { return body_input_fact(input, declared_shapes); });
  for (const pb::TensorProto& tensor : proto.initializer()) {
    add_constant(scope, tensor.name(), [&] { return tensors_.read(tensor); });
  }
  add_sparse_constants(scope, proto, tensors_);
  add_nodes(scope, proto.node());
  add_outputs(scope, proto);
  return nested;
}

void GraphBuilder::inline_call(Scope& caller, const pb::NodeProto& node, const Function& function) {
  const DepthGuard guard(depth_left_);
  const pb::FunctionProto& proto = *function.proto;
  check_call(node, proto);
  Scope scope(caller.nested(), function.opsets, unique_prefix(caller.prefix() + node_name(node)));
  for (int i = 0; i < proto.input_size(); ++i) {
    check_current();
    const bool given = i < node.input_size() && !node.input(i).empty();
    scope.define(proto.input(i), given ? caller.find(node.input(i)) : kNoValue);
  }
  bind_attributes(scope, caller, node, function);
  for (int i = 0; i < node.output_size(); ++i) {
    if (!node.output(i).empty()) scope.show_as(proto.output(i), caller.shown_name(node.output(i)));
  }
  add_nodes(scope, proto.node());
  for (int i = 0; i < node.output_size(); ++i) {
    if (!node.output(i).empty()) caller.define(node.output(i), scope.find(proto.output(i)));
  }
}

void GraphBuilder::bind_attributes(Scope& scope, const Scope& caller, const pb::NodeProto& node,
                                   const Function& function) {
  for (const pb::AttributeProto& attribute : node.attribute()) {
    if (const auto value = caller.resolve(attribute)) scope.bind(attribute.name(), *value);
  }
  for (const pb::AttributeProto& fallback : function.proto->attribute_proto()) {
    scope.bind(fallback.name(), {&fallback, &scope});
  }
}

std::string GraphBuilder::unique_prefix(const std::string& name) {
  std::string prefix = name + "/";
  const auto [known, is_new] = prefixes_.try_emplace(prefix, 2);
  int64_t& next = known->second;
  while (!is_new) {
    prefix = str(name, "_", next++, "/");
    if (prefixes_.try_emplace(prefix, 2).second) break;
  }
  prefix_texts_.add(prefix.size());
  return prefix;
}

}  // namespace linnet
