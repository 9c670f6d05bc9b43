#include <ATen/ATen.h>

#include <algorithm>

#include "tracer.h"

// Operators: evaluated by PyTorch, written down by their lowering rules.
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

}  // namespace

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

}  // namespace linnet::exporter
