#include <algorithm>

#include "tracer.h"

// Branches and loops: walked through where constants decide, else ONNX's If and Loop.
namespace linnet::exporter {
namespace {

using torch::jit::Block;

bool raises(const Block& block) {
  return std::any_of(block.nodes().begin(), block.nodes().end(),
                     [](const torch::jit::Node* node) { return node->kind() == torch::jit::prim::RaiseException; });
}

OnnxValue body_value(const std::string& name, const c10::IValue& like) { return {name, dtype_of(like), std::nullopt}; }

bool decided(const Value& condition) { return condition.constant() && condition.agrees(); }

}  // namespace

/// Walks a block; an error in it says that the node around it could not be written for that reason.
void Tracer::walk_into(const Block& block, const Node& node) {
  ++bodies_;
  try {
    walk(block);
  } catch (const ExportError& error) {
    Site(node).refuse(std::string("it depends on the model's inputs, and its body cannot be exported: ") +
                      error.what());
  }
  --bodies_;
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

void Tracer::lower_branch(const Node& node, const Value& condition) {
  const Site site(node);
  std::vector<std::shared_ptr<const OnnxGraph>> bodies;
  std::vector<std::vector<Value>> results;
  for (const Block* block : node.blocks()) {
    builder_.begin_body();
    walk_into(*block, node);
    std::vector<OnnxValue> outputs;
    results.emplace_back();
    for (const torch::jit::Value* output : block->outputs()) {
      const Value& value = value_of(output);
      if (value.is_container()) site.refuse("a branch that the model's inputs decide gives a list");
      results.back().push_back(value);
      if (value.is_none()) continue;
      outputs.push_back(body_value(builder_.emit("Identity", {name_of(value)}, {}, 1)[0], value.concrete[0]));
    }
    OnnxGraph body = builder_.end_body();
    body.outputs = outputs;
    bodies.push_back(std::make_shared<const OnnxGraph>(std::move(body)));
  }
  if (bodies[0]->outputs.size() != bodies[1]->outputs.size()) site.refuse("only one of its branches gives a value");
  for (size_t i = 0; i < bodies[0]->outputs.size(); ++i) {
    if (bodies[0]->outputs[i].dtype != bodies[1]->outputs[i].dtype) site.refuse("its branches give different dtypes");
  }
  const Attributes attributes{{"then_branch", bodies[0]}, {"else_branch", bodies[1]}};
  const Names names = builder_.emit("If", {name_of(condition)}, attributes, bodies[0]->outputs.size());
  for (size_t i = 0, k = 0; i < node.outputs().size(); ++i) {
    Value value = results[0][i];
    for (size_t e = 0; e < evaluations_; ++e) {
      const bool taken =
          condition.concrete[e].isTensor() ? condition.tensor(e).item<bool>() : condition.concrete[e].toBool();
      value.concrete[e] = results[taken ? 0 : 1][i].concrete[e];
    }
    if (!value.is_none()) value.name = names[k++];
    bind(node.outputs()[i], value);
  }
}

void Tracer::loop(const Node& node) {
  const Block& body = *node.blocks()[0];
  const Value trips = value_of(node.inputs()[0]);
  Value condition = value_of(node.inputs()[1]);
  if (!decided(trips) || !decided(condition)) return lower_loop(node);
  std::vector<Value> carried = inputs_of(node);
  carried.erase(carried.begin(), carried.begin() + 2);
  const OnnxBuilder::Mark mark = builder_.mark();
  for (int64_t i = 0; i < trips.concrete[0].toInt() && condition.concrete[0].toBool(); ++i) {
    bind(body.inputs()[0], make_constant(std::vector<c10::IValue>(evaluations_, i)));
    for (size_t k = 0; k < carried.size(); ++k) bind(body.inputs()[k + 1], carried[k]);
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

// The body is written once, with the first round's values; later rounds only move the evaluated values on.
void Tracer::lower_loop(const Node& node) {
  const Site site(node);
  const Block& block = *node.blocks()[0];
  const Value trips = value_of(node.inputs()[0]), condition = value_of(node.inputs()[1]);
  std::vector<Value> carried = inputs_of(node);
  carried.erase(carried.begin(), carried.begin() + 2);
  Names inputs{name_of(trips), name_of(condition)};
  OnnxGraph body;
  Value round = make_constant(std::vector<c10::IValue>(evaluations_, int64_t(0)));
  round.name = builder_.unique("round");
  body.inputs = {body_value(round.name, round.concrete[0]),
                 body_value(builder_.unique("condition"), c10::IValue(true))};
  for (Value& value : carried) {
    if (value.is_container() || value.is_none())
      site.refuse("a loop that the model's inputs decide carries a list or None");
    inputs.push_back(name_of(value));
    value.name = builder_.unique("carried");
    body.inputs.push_back(body_value(value.name, value.concrete[0]));
  }
  const std::vector<Value> entered = carried;
  const auto run_body = [&] {
    bind(block.inputs()[0], round);
    for (size_t k = 0; k < carried.size(); ++k) bind(block.inputs()[k + 1], carried[k]);
    walk_into(block, node);
  };
  builder_.begin_body();
  run_body();
  for (const torch::jit::Value* output : block.outputs()) {
    const Value& value = value_of(output);
    if (value.is_container() || value.is_none())
      site.refuse("a loop that the model's inputs decide carries a list or None");
    body.outputs.push_back(body_value(builder_.emit("Identity", {name_of(value)}, {}, 1)[0], value.concrete[0]));
  }
  body.nodes = builder_.end_body().nodes;
  const auto take_results = [&] {
    for (size_t k = 0; k < carried.size(); ++k) carried[k].concrete = value_of(block.outputs()[k + 1]).concrete;
  };
  const auto count = [&] {
    return trips.concrete[0].isTensor() ? trips.tensor().item<int64_t>() : trips.concrete[0].toInt();
  };
  const auto again = [&] { return value_of(block.outputs()[0]).concrete[0].toBool(); };
  const bool runs = condition.concrete[0].toBool() && count() > 0;
  if (runs) take_results();
  for (int64_t i = 1; runs && evaluations_ == 1 && i < count() && again(); ++i) {
    round.concrete[0] = i;
    const OnnxBuilder::Mark mark = builder_.mark();
    run_body();
    builder_.take_back(mark);
    take_results();
  }
  for (size_t k = 0; k < carried.size(); ++k) {
    if (body.outputs[k + 1].dtype != body.inputs[k + 2].dtype) site.refuse("a value that it carries changes its dtype");
  }
  const Names names =
      builder_.emit("Loop", inputs, {{"body", std::make_shared<const OnnxGraph>(body)}}, carried.size());
  for (size_t k = 0; k < carried.size(); ++k) {
    carried[k].name = names[k];
    bind(node.outputs()[k], carried[k]);
  }
}

}  // namespace linnet::exporter
