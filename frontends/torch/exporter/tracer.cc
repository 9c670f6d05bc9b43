#include "tracer.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>
#include <torch/csrc/jit/passes/inliner.h>

#include <algorithm>

namespace linnet::exporter {
namespace {

/// An operator that is random, unless it does not train or drops nothing.
bool is_random(const torch::jit::Node& node, const std::vector<Value>& inputs) {
  if (!node.isNondeterministic()) return false;
  for (const char* name : {"train", "training", "p", "dropout_p"}) {
    const auto index = node.schema().argumentIndexWithName(name);
    if (index && inputs[size_t(*index)].constant() && inputs[size_t(*index)].concrete[0].toScalar().toDouble() == 0) {
      return false;
    }
  }
  return true;
}

bool writes(const c10::FunctionSchema& schema) {
  return std::any_of(schema.arguments().begin(), schema.arguments().end(), [](const c10::Argument& argument) {
    return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
  });
}

std::string hint(const std::string& name) {
  if (name.rfind("aten::", 0) == 0 || name.rfind("prim::", 0) == 0) return "add a rule with --lowering rules.so";
  return "name its form with the option made for it, or add a rule with --lowering rules.so";
}

std::vector<OnnxDim> dims_of(const at::Tensor& tensor) {
  std::vector<OnnxDim> dims;
  for (const int64_t size : tensor.sizes()) dims.push_back({size, ""});
  return dims;
}

void rename(std::vector<OnnxNode>& nodes, const std::unordered_map<std::string, std::string>& names) {
  const auto apply = [&](std::string& name) {
    const auto found = names.find(name);
    if (found != names.end()) name = found->second;
  };
  for (OnnxNode& node : nodes) {
    std::for_each(node.inputs.begin(), node.inputs.end(), apply);
    std::for_each(node.outputs.begin(), node.outputs.end(), apply);
    for (auto& [name, attribute] : node.attributes) {
      const auto* body = std::get_if<std::shared_ptr<const OnnxGraph>>(&attribute);
      if (body == nullptr) continue;
      OnnxGraph copy = **body;
      rename(copy.nodes, names);
      attribute = std::make_shared<const OnnxGraph>(std::move(copy));
    }
  }
}

}  // namespace

Trace Tracer::trace(const torch::jit::Module& module, const std::vector<ExampleArgument>& arguments) {
  const at::NoGradGuard no_gradients;
  const std::shared_ptr<torch::jit::Graph> graph = module.get_method("forward").graph()->copy();
  torch::jit::Inline(*graph);
  torch::jit::EliminateDeadCode(graph);
  name_parameters(module);
  evaluations_ = 1;
  for (size_t i = 0; i < arguments.size(); ++i) {
    Value value = arguments[i].value;
    for_each_leaf(value, [&](Value& leaf) { evaluations_ = std::max(evaluations_, leaf.concrete.size()); });
  }
  values_[graph->inputs()[0]] = make_constant(std::vector<c10::IValue>(evaluations_, module._ivalue()));
  for (size_t i = 0; i < arguments.size(); ++i) {
    for (const OnnxValue& input : arguments[i].inputs) {
      builder_.unique(input.name);
      builder_.graph().inputs.push_back(input);
    }
    bind(graph->inputs()[i + 1], arguments[i].value);
  }
  walk(*graph->block());
  write_outputs(graph->outputs().size() == 1 ? value_of(graph->outputs()[0]) : make_container({}));
  remove_unused(builder_.graph());
  return {std::move(builder_.graph()), std::move(recorded_)};
}

void Tracer::name_parameters(const torch::jit::Module& module) {
  for (const auto& parameter : module.named_parameters()) builder_.name_tensor(parameter.value, parameter.name);
  for (const auto& buffer : module.named_buffers()) builder_.name_tensor(buffer.value, buffer.name);
  for (const auto& attribute : module.named_attributes()) {
    if (attribute.value.isTensor()) builder_.name_tensor(attribute.value.toTensor(), attribute.name);
  }
}

std::vector<Value> Tracer::inputs_of(const Node& node) const {
  std::vector<Value> result;
  for (const torch::jit::Value* input : node.inputs()) result.push_back(values_.at(input));
  return result;
}

void Tracer::bind(const torch::jit::Value* name, Value value) {
  for_each_leaf(value, [&](Value& leaf) {
    if (!leaf.name.empty() && leaf.name != kUnset) builder_.set_dtype(leaf.name, dtype_of(leaf.concrete[0]));
  });
  values_[name] = std::move(value);
}

bool Tracer::depends(const Node& node) const {
  return std::any_of(node.inputs().begin(), node.inputs().end(),
                     [&](const torch::jit::Value* input) { return !values_.at(input).constant(); });
}

std::string Tracer::name_of(const Value& leaf) {
  if (leaf.name == kUnset) throw ExportError("a result for which there is no ONNX value is used");
  if (!leaf.name.empty()) return leaf.name;
  const c10::IValue& concrete = leaf.concrete[0];
  if (concrete.isTensor()) return builder_.tensor(concrete.toTensor());
  return builder_.constant(at::scalar_to_tensor(concrete.toScalar()).to(dtype_of(concrete)));
}

void Tracer::walk(const Block& block) {
  for (const Node* node : block.nodes()) {
    builder_.set_origin(Site(*node).scope(), Site(*node).source());
    visit(*node);
  }
}

void Tracer::visit(const Node& node) {
  const auto handler = handlers().find(node.maybeSchema() ? Site(node).operator_name() : node.kind().toQualString());
  if (handler != handlers().end()) return (this->*handler->second)(node);
  if (node.maybeOperator() == nullptr) Site(node).refuse("the exporter cannot follow this kind of node");
  visit_operator(node);
}

void Tracer::visit_operator(const Node& node) {
  const std::vector<Value> inputs = inputs_of(node);
  if (is_random(node, inputs)) {
    Site(node).refuse(
        "it is random; export a module that is in evaluation mode, or take the random tensor as an input");
  }
  if (writes(node.schema())) return write(node);
  if (depends(node) && fold_fact(node, inputs)) return;
  std::vector<Value> results = evaluate(node);
  if (depends(node)) lower(node, Site(node).operator_name(), inputs, results);
  check_results(node, results);
  record(node, results);
  for (size_t i = 0; i < results.size(); ++i) bind(node.outputs()[i], results[i]);
}

std::vector<c10::IValue> Tracer::evaluate(const Node& node, size_t evaluation) {
  std::vector<c10::IValue> stack;
  for (const torch::jit::Value* input : node.inputs()) {
    stack.push_back(to_ivalue(values_.at(input), input->type(), evaluation));
  }
  if (node.schema().is_vararg()) stack.emplace_back(int64_t(node.inputs().size()));
  try {
    node.getOperation()(stack);
  } catch (const c10::Error& error) {
    Site(node).refuse(std::string("PyTorch cannot evaluate it: ") + error.what_without_backtrace());
  }
  return stack;
}

std::vector<Value> Tracer::evaluate(const Node& node) {
  std::vector<std::vector<c10::IValue>> outputs(node.outputs().size());
  for (size_t e = 0; e < evaluations_; ++e) {
    const std::vector<c10::IValue> stack = evaluate(node, e);
    for (size_t i = 0; i < outputs.size(); ++i) outputs[i].push_back(stack[i]);
  }
  std::vector<Value> results;
  for (const auto& output : outputs) results.push_back(make_constant(output));
  return results;
}

// The rule runs once for each evaluation and must write the same each time: nothing of a size may stay in the graph
// that is not the same for all sizes.
void Tracer::lower(const Node& node, const std::string& operator_name, const std::vector<Value>& inputs,
                   std::vector<Value>& results) {
  const Site site(node);
  const Lowering* rule = lowerings_.find(operator_name);
  if (rule == nullptr) site.refuse("there is no lowering rule for it; " + hint(operator_name));
  OnnxGraph other;
  for (size_t e = evaluations_; e-- > 0;) {
    for (Value& result : results) for_each_leaf(result, [](Value& leaf) { leaf.name = kUnset; });
    const OnnxBuilder::Mark mark = builder_.mark();
    Call call(site, inputs, results, builder_, e);
    (*rule)(call);
    if (call.is_decided_by_contents()) check_sizes_differ(node, results);
    if (e > 0) {
      other = builder_.since(mark);
      builder_.take_back(mark);
    } else if (evaluations_ > 1 && !same_graph(other, builder_.since(mark))) {
      site.refuse("its nodes are not the same for all sizes of the dynamic axes");
    }
  }
}

// Else sizes would be taken for constants. A recorded graph serves the one example that it is made for.
void Tracer::check_sizes_differ(const Node& node, std::vector<Value>& results) {
  bool differ = record_;
  for_each_leaf(results[0], [&](Value& leaf) {
    for (size_t e = 1; e < evaluations_; ++e) differ = differ || leaf.tensor(e).sizes() != leaf.tensor().sizes();
  });
  if (differ) return;
  throw EqualSizes(Site(node).operator_name() +
                   ": the contents of the inputs decide on the size of its result, but it was the same for all "
                   "examples: a narrower range of an --input may show where it counts; at " +
                   Site(node).source());
}

void Tracer::check_results(const Node& node, const std::vector<Value>& results) {
  for (const Value& result : results) {
    Value copy = result;
    for_each_leaf(copy, [&](Value& leaf) {
      if (leaf.name.empty() && !leaf.agrees()) {
        Site(node).refuse("its result depends on the size of a dynamic axis, but the exporter takes it for a constant");
      }
      const bool tensors = leaf.concrete[0].isTensor() && leaf.concrete[0].toTensor().defined();
      for (size_t e = 1; tensors && e < evaluations_; ++e) {
        if (leaf.tensor(e).dim() != leaf.tensor().dim() || leaf.tensor(e).dtype() != leaf.tensor().dtype()) {
          Site(node).refuse("the rank or dtype of its result depends on the size of a dynamic axis");
        }
      }
    });
  }
}

void Tracer::record(const Node& node, const std::vector<Value>& results) {
  if (!record_ || bodies_ > 0) return;
  for (Value result : results) {
    for_each_leaf(result, [&](Value& leaf) {
      if (leaf.name.empty() || leaf.name == kUnset || !leaf.concrete[0].isTensor()) return;
      recorded_.push_back({leaf.name, leaf.tensor().clone(), Site(node).operator_name(), Site(node).source()});
    });
  }
}

/// Outputs are named after the keys of a dict, else by number.
void Tracer::write_outputs(const Value& value) {
  Value result = value;
  if (!result.is_container()) return add_output(result, "output");
  std::vector<std::pair<Value, std::string>> leaves;
  const std::vector<c10::IValue> keys = result.container->keys;
  for (size_t i = 0; i < result.container->elements.size(); ++i) {
    const bool named = !keys.empty() && keys[i].isString();
    for_each_leaf(result.container->elements[i], [&](Value& leaf) {
      if (leaf.is_none()) return;
      leaves.emplace_back(leaf, named ? keys[i].toStringRef() : text_of("output_", leaves.size()));
    });
  }
  for (auto& [leaf, name] : leaves) add_output(leaf, leaves.size() == 1 && keys.empty() ? "output" : name);
}

// A value of the graph becomes an output by its name; inputs, constants and what is an output already, by a copy.
void Tracer::add_output(Value& leaf, const std::string& wanted) {
  const std::string value = name_of(leaf), name = builder_.unique(wanted);
  OnnxGraph& graph = builder_.graph();
  const bool made = std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const OnnxNode& node) {
    return std::find(node.outputs.begin(), node.outputs.end(), value) != node.outputs.end();
  });
  const bool taken = std::any_of(graph.outputs.begin(), graph.outputs.end(), [&](auto& o) { return o.name == value; });
  if (made && !taken) {
    rename(graph.nodes, {{value, name}});
    for (RecordedValue& recorded : recorded_) {
      if (recorded.name == value) recorded.name = name;
    }
    leaf.name = name;
    for (auto& [key, other] : values_) {
      for_each_leaf(other, [&](Value& l) {
        if (l.name == value) l.name = name;
      });
    }
  } else {
    builder_.set_origin("", "");
    const std::string copy = builder_.emit("Identity", {value}, {}, 1)[0];
    rename(graph.nodes, {{copy, name}});
  }
  OnnxValue output{name, dtype_of(leaf.concrete[0]), std::vector<OnnxDim>()};
  if (leaf.concrete[0].isTensor()) output.dims = dims_of(leaf.tensor());
  for (size_t e = 1; output.dims && e < evaluations_ && leaf.concrete[0].isTensor(); ++e) {
    for (size_t axis = 0; axis < output.dims->size(); ++axis) {
      if (leaf.tensor(e).size(int64_t(axis)) != leaf.tensor().size(int64_t(axis))) (*output.dims)[axis] = {-1, ""};
    }
  }
  graph.outputs.push_back(output);
}

}  // namespace linnet::exporter
