#include <algorithm>

#include "exporter/pairs.h"
#include "tracer.h"

// Branches and loops. If constants decide them, they are walked through; otherwise they become ONNX's If and Loop.
namespace linnet::exporter::torchscript {
namespace {

using torch::jit::Block;

bool raises(const Block& block) {
  return std::any_of(block.nodes().begin(), block.nodes().end(),
                     [](const torch::jit::Node* node) { return node->kind() == torch::jit::prim::RaiseException; });
}

bool decided(const Value& condition) { return condition.constant() && condition.agrees(); }

constexpr const char* kCarriesList = "a loop that the model's inputs decide carries a list or None";
constexpr const char* kListsDiffer = "its branches give lists of different lengths";

bool same_size(const Value& a, const Value& b, int64_t axis) { return sizes_along(a, axis) == sizes_along(b, axis); }

/// Returns a copy that shares no container.
Value copy_of(const Value& value) {
  if (!value.is_container()) return value;
  std::vector<Value> elements;
  for (const Value& element : value.container->elements) elements.push_back(copy_of(element));
  return make_container(std::move(elements), value.container->keys);
}

}  // namespace

std::vector<at::Tensor> Tracer::tensors() {
  std::vector<at::Tensor> tensors;
  for (auto& [key, value] : values_) {
    for_each_leaf(value, [&](const Value& leaf) {
      if (leaf.is_tensor()) tensors.push_back(leaf.tensor());
    });
  }
  return tensors;
}

/// Walks a block. Its errors are reported as the reason why the surrounding node cannot be exported.
void Tracer::walk_into(const Block& block, const Node& node) {
  ++bodies_;
  const std::vector<at::Tensor> around = std::exchange(outside_, tensors());
  try {
    walk(block);
  } catch (const EqualSizes&) {
    throw;
  } catch (const RefusedTry&) {
    throw;
  } catch (const ExportError& error) {
    Site(node).refuse(std::string("it depends on the model's inputs, and its body cannot be exported: ") +
                      error.what());
  }
  --bodies_;
  outside_ = around;
}

void Tracer::branch(const Node& node) {
  const Value condition = value_of(node.input());
  const Block &yes = *node.blocks()[0], &no = *node.blocks()[1];
  if (!decided(condition) && !raises(yes) && !raises(no)) return lower_branch(node, condition);
  const bool taken = decided(condition) ? condition.concrete[0].toBool() : !raises(yes);
  const Block& block = taken ? yes : no;
  walk(block);
  for (size_t i = 0; i < node.outputs().size(); ++i) bind(node.outputs()[i], Value(value_of(block.outputs()[i])));
}

/// Writes a block as a separate graph. Its outputs are the block's results except None.
Tracer::Body Tracer::write_body(const Block& block, const Node& node) {
  Body body;
  std::vector<OnnxValue> outputs;
  builder_.begin_body();
  walk_into(block, node);
  for (const torch::jit::Value* output : block.outputs()) {
    body.results.push_back(copy_of(value_of(output)));
    for_each_leaf(body.results.back(), [&](const Value& leaf) {
      if (leaf.is_none()) return;
      const DType dtype = exporter::stored_dtype(dtype_of(leaf.concrete[0]));
      outputs.push_back({builder_.emit("Identity", {name_of(leaf)}, {}, 1)[0], dtype, {}});
    });
  }
  body.graph = builder_.end_body();
  body.graph.outputs = outputs;
  return body;
}

void Tracer::lower_branch(const Node& node, const Value& condition) {
  const Body yes = write_body(*node.blocks()[0], node), no = write_body(*node.blocks()[1], node);
  std::vector<Value> values;
  for (size_t i = 0; i < node.outputs().size(); ++i) {
    values.push_back(taken(node, condition, yes.results[i], no.results[i]));
  }
  const Attributes attributes{{"then_branch", std::make_shared<const OnnxGraph>(yes.graph)},
                              {"else_branch", std::make_shared<const OnnxGraph>(no.graph)}};
  const Names names = builder_.emit("If", {name_of(condition)}, attributes, yes.graph.outputs.size());
  for (size_t i = 0, k = 0; i < node.outputs().size(); ++i) {
    for_each_leaf(values[i], [&](Value& leaf) {
      if (!leaf.is_none()) leaf.name = names[k++];
    });
    bind(node.outputs()[i], values[i]);
  }
}

/// Returns the results of the branch that each evaluation takes. A size that differs between the branches is dynamic.
Value Tracer::taken(const Node& node, const Value& condition, const Value& yes, const Value& no) const {
  if (yes.is_container() || no.is_container()) {
    if (!yes.is_container() || !no.is_container()) Site(node).refuse(kListsDiffer);
    const std::vector<Value>&a = yes.container->elements, &b = no.container->elements;
    if (a.size() != b.size()) Site(node).refuse(kListsDiffer);
    std::vector<Value> elements;
    for (size_t i = 0; i < a.size(); ++i) elements.push_back(taken(node, condition, a[i], b[i]));
    return make_container(std::move(elements), yes.container->keys);
  }
  if (yes.is_none() && no.is_none()) return yes;
  if (yes.is_none() || no.is_none()) Site(node).refuse("only one of its branches gives a value");
  if (dtype_of(yes.concrete[0]) != dtype_of(no.concrete[0])) Site(node).refuse("its branches give different dtypes");
  Value result = yes;
  for (size_t e = 0; e < result.concrete.size(); ++e) {
    if (!is_true(condition.concrete[e])) result.concrete[e] = no.concrete[e];
  }
  result.of_contents = yes.of_contents || no.of_contents || condition.of_contents;
  if (!yes.is_tensor() || !no.is_tensor()) return result;
  if (yes.tensor().dim() != no.tensor().dim()) Site(node).refuse("its branches give different ranks");
  for (int64_t axis = 0; axis < yes.tensor().dim(); ++axis) {
    if (one_example_ || same_size(yes, no, axis) || size_differs(result, axis)) continue;
    refuse_equal_sizes(node, "its branches give different sizes");
  }
  return result;
}

std::vector<Value> Tracer::carried_into(const Node& loop) const {
  std::vector<Value> values = inputs_of(loop);
  values.erase(values.begin(), values.begin() + 2);
  return values;
}

void Tracer::loop(const Node& node) {
  const Block& body = *node.blocks()[0];
  const Value trips = value_of(node.inputs()[0]);
  Value condition = value_of(node.inputs()[1]);
  if (!decided(trips) || !decided(condition)) return lower_loop(node);
  std::vector<Value> carried = carried_into(node);
  const OnnxBuilder::Mark mark = builder_.mark();
  for (int64_t i = 0; i < trips.concrete[0].toInt() && condition.concrete[0].toBool(); ++i) {
    enter_round(node, make_constant(std::vector<c10::IValue>(evaluations_, i)), carried);
    walk(body);
    condition = value_of(body.outputs()[0]);
    for (size_t k = 0; k < carried.size(); ++k) carried[k] = value_of(body.outputs()[k + 1]);
    if (!decided(condition)) {
      if (i > 0) Site(node).refuse("its condition depends on the model's inputs from the second round on");
      builder_.take_back(mark);
      return lower_loop(node);
    }
  }
  for (size_t k = 0; k < carried.size(); ++k) bind(node.outputs()[k], carried[k]);
}

// The body is written once, for all rounds that occur in the examples.
void Tracer::lower_loop(const Node& node) {
  const Site site(node);
  Names inputs{name_of(value_of(node.inputs()[0])), name_of(value_of(node.inputs()[1]))};
  std::vector<Value> carried = carried_into(node);
  for (const Value& value : carried) {
    if (value.is_container() || value.is_none()) site.refuse(kCarriesList);
    inputs.push_back(name_of(value));
  }
  const Rounds rounds = evaluate_rounds(node, carried);
  const auto body = std::make_shared<const OnnxGraph>(write_rounds(node, rounds, carried));
  const Names names = builder_.emit("Loop", inputs, {{"body", body}}, carried.size());
  for (size_t k = 0; k < carried.size(); ++k) {
    carried[k].name = names[k];
    bind(node.outputs()[k], carried[k]);
  }
}

void Tracer::enter_round(const Node& loop, const Value& round, const std::vector<Value>& carried) {
  const Block& body = *loop.blocks()[0];
  bind(body.inputs()[0], round);
  for (size_t k = 0; k < carried.size(); ++k) bind(body.inputs()[k + 1], carried[k]);
}

}  // namespace linnet::exporter::torchscript
