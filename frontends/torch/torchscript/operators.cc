#include <ATen/ATen.h>

#include <algorithm>
#include <set>

#include "exporter/lower_call.h"
#include "tracer.h"

// Operators: PyTorch evaluates them, and their lowering rules write them.
namespace linnet::exporter::torchscript {
namespace {

/// Whether an operator is random. Dropout that does not train, or drops nothing, is not.
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

/// Returns the elements that the positions in an operator's result point to.
std::optional<Positions> positions_of(const torch::jit::Node& node, const std::vector<Value>& inputs) {
  static const std::set<std::string> names{"aten::topk",   "aten::sort",   "aten::argsort", "aten::max",
                                           "aten::min",    "aten::argmax", "aten::argmin",  "aten::kthvalue",
                                           "aten::median", "aten::cummax", "aten::cummin",  "aten::mode"};
  if (!names.contains(node.schema().name())) return std::nullopt;
  const auto index = node.schema().argumentIndexWithName("dim");
  const bool along = index && inputs[size_t(*index)].constant() && !inputs[size_t(*index)].is_none();
  Positions positions{inputs[0].tensor(), std::nullopt};
  if (along) positions.axis = inputs[size_t(*index)].concrete[0].toInt();
  return positions;
}

bool same_kind(const at::Tensor& a, const at::Tensor& b) {
  return a.defined() == b.defined() && a.dim() == b.dim() && a.dtype() == b.dtype();
}

/// Whether a tensor is what some operators return for an empty input, whatever the rank of their other results.
bool is_nothing(const at::Tensor& tensor) { return !tensor.defined() || (tensor.dim() == 1 && tensor.numel() == 0); }

/// Copies the names that a rule has given to results.
void take_names(const exporter::Value& from, Value& to) {
  if (!to.is_container()) {
    to.name = from.name;
    return;
  }
  for (size_t i = 0; i < from.elements.size(); ++i) take_names(from.elements[i], to.container->elements[i]);
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
  record(node, inputs, results);
  for (size_t i = 0; i < results.size(); ++i) bind(node.outputs()[i], results[i]);
}

std::vector<c10::IValue> Tracer::evaluate(const Node& node, size_t evaluation) {
  std::vector<c10::IValue> stack;
  for (const torch::jit::Value* input : node.inputs()) {
    stack.push_back(to_ivalue(values_.at(input), input->type(), evaluation));
  }
  if (node.schema().is_vararg()) stack.emplace_back(int64_t(node.inputs().size()));
  const auto fail = [&](const std::string& reason) {
    if (evaluation >= firm_) throw RefusedTry(evaluation, reason);
    Site(node).refuse("PyTorch cannot evaluate it: " + reason);
  };
  try {
    node.getOperation()(stack);
  } catch (const c10::Error& error) {
    fail(error.what_without_backtrace());
  } catch (const std::exception& error) {
    fail(error.what());
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
  try {
    for (const auto& output : outputs) results.push_back(make_constant(output));
  } catch (const ExportError& error) {
    Site(node).refuse(error.what());
  }
  return results;
}

void Tracer::lower(const Node& node, const std::string& operator_name, const std::vector<Value>& inputs,
                   std::vector<Value>& results) {
  const exporter::Site site = Site(node).seen();
  std::vector<exporter::Value> arguments, given;
  for (const Value& input : inputs) arguments.push_back(seen_of(input));
  for (const Value& result : results) given.push_back(seen(result));
  const Lowering* rule = find_rule(lowerings_, operator_name, site, arguments, given);
  if (rule == nullptr) site.refuse("there is no lowering rule for it; " + hint(operator_name));
  const bool decided_by_rule = lower_call(site, *rule, arguments, given, builder_, evaluations_);
  for (size_t i = 0; i < results.size(); ++i) take_names(given[i], results[i]);
  follow_sizes(node, inputs, results, decided_by_rule);
}

/// Returns what a rule sees of an argument. Parameters of the model keep their names.
exporter::Value Tracer::seen_of(const Value& value) const {
  exporter::Value result = seen(value);
  if (value.is_container()) {
    for (size_t i = 0; i < result.elements.size(); ++i) result.elements[i] = seen_of(value.container->elements[i]);
  } else if (value.is_tensor() && value.constant()) {
    for (size_t e = 0; e < value.concrete.size(); ++e) {
      auto& info = std::get<TensorInfo>(result.concrete[e].value);
      if (info.defined()) info.contents = stored(value.tensor(e));
    }
  }
  return result;
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
        if (same_kind(leaf.tensor(e), leaf.tensor())) continue;
        const std::string reason = "the rank or dtype of its result depends on the size of a dynamic axis";
        if (e >= firm_ && is_nothing(leaf.tensor(e))) throw RefusedTry(e, reason);
        Site(node).refuse(reason);
      }
    });
  }
}

void Tracer::record(const Node& node, const std::vector<Value>& inputs, const std::vector<Value>& results) {
  if (!record_ || bodies_ > 0) return;
  for (Value result : results) {
    for_each_leaf(result, [&](Value& leaf) {
      if (leaf.name.empty() || leaf.is_unset() || !leaf.concrete[0].isTensor()) return;
      const at::Tensor tensor = leaf.tensor().clone();
      recorded_.push_back({leaf.name, tensor, Site(node).operator_name(), Site(node).source(), std::nullopt});
      if (tensor.scalar_type() == at::kLong) recorded_.back().positions = positions_of(node, inputs);
    });
  }
}

}  // namespace linnet::exporter::torchscript
