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

constexpr const char* kCarriesList = "a loop that the model's inputs decide carries a list or None";

void check_same_outputs(const OnnxGraph& yes, const OnnxGraph& no, const Site& site) {
  if (yes.outputs.size() != no.outputs.size()) site.refuse("only one of its branches gives a value");
  for (size_t i = 0; i < yes.outputs.size(); ++i) {
    if (yes.outputs[i].dtype != no.outputs[i].dtype) site.refuse("its branches give different dtypes");
  }
}

/// A loop's body has the round and the condition as inputs, the condition as output, and behind them what it carries.
void check_carried(const OnnxGraph& body, size_t count, const Site& site) {
  if (body.outputs.size() != count + 1) site.refuse(kCarriesList);
  for (size_t k = 0; k < count; ++k) {
    if (body.outputs[k + 1].dtype != body.inputs[k + 2].dtype) site.refuse("a value that it carries changes its dtype");
  }
}

/// What the branch that each evaluation takes gives.
Value taken(const Value& condition, Value yes, const Value& no) {
  for (size_t e = 0; e < yes.concrete.size(); ++e) {
    const c10::IValue& choice = condition.concrete[e];
    if (!(choice.isTensor() ? choice.toTensor().item<bool>() : choice.toBool())) yes.concrete[e] = no.concrete[e];
  }
  return yes;
}

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

/// Writes a block as a graph of its own, whose outputs are what the block gives, but for None.
Tracer::Body Tracer::write_body(const Block& block, const Node& node) {
  Body body;
  std::vector<OnnxValue> outputs;
  builder_.begin_body();
  walk_into(block, node);
  for (const torch::jit::Value* output : block.outputs()) {
    const Value& value = value_of(output);
    if (value.is_container()) Site(node).refuse("a branch or loop that the model's inputs decide gives a list");
    body.results.push_back(value);
    if (value.is_none()) continue;
    outputs.push_back(body_value(builder_.emit("Identity", {name_of(value)}, {}, 1)[0], value.concrete[0]));
  }
  body.graph = builder_.end_body();
  body.graph.outputs = outputs;
  return body;
}

void Tracer::lower_branch(const Node& node, const Value& condition) {
  const Body yes = write_body(*node.blocks()[0], node), no = write_body(*node.blocks()[1], node);
  check_same_outputs(yes.graph, no.graph, Site(node));
  const Attributes attributes{{"then_branch", std::make_shared<const OnnxGraph>(yes.graph)},
                              {"else_branch", std::make_shared<const OnnxGraph>(no.graph)}};
  const Names names = builder_.emit("If", {name_of(condition)}, attributes, yes.graph.outputs.size());
  for (size_t i = 0, k = 0; i < node.outputs().size(); ++i) {
    Value value = taken(condition, yes.results[i], no.results[i]);
    if (!value.is_none()) value.name = names[k++];
    bind(node.outputs()[i], value);
  }
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

// The body is written once, with the first round's values; later rounds only move the evaluated values on.
void Tracer::lower_loop(const Node& node) {
  const Site site(node);
  Names inputs{name_of(value_of(node.inputs()[0])), name_of(value_of(node.inputs()[1]))};
  Value round = make_constant(std::vector<c10::IValue>(evaluations_, int64_t(0)));
  round.name = builder_.unique("round");
  std::vector<OnnxValue> body_inputs{body_value(round.name, round.concrete[0]),
                                     body_value(builder_.unique("condition"), c10::IValue(true))};
  std::vector<Value> carried = carried_into(node);
  for (Value& value : carried) {
    if (value.is_container() || value.is_none()) site.refuse(kCarriesList);
    inputs.push_back(name_of(value));
    value.name = builder_.unique("carried");
    body_inputs.push_back(body_value(value.name, value.concrete[0]));
  }
  enter_round(node, round, carried);
  OnnxGraph body = write_body(*node.blocks()[0], node).graph;
  body.inputs = body_inputs;
  check_carried(body, carried.size(), site);
  evaluate_rounds(node, round, carried);
  const Names names =
      builder_.emit("Loop", inputs, {{"body", std::make_shared<const OnnxGraph>(body)}}, carried.size());
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

/// After the first round, which has been walked, walks the others that one evaluation takes and takes back their nodes.
/// `carried` become what the loop gives.
void Tracer::evaluate_rounds(const Node& loop, Value round, std::vector<Value>& carried) {
  const Block& body = *loop.blocks()[0];
  const c10::IValue trips = value_of(loop.inputs()[0]).concrete[0];
  const int64_t count = trips.isTensor() ? trips.toTensor().item<int64_t>() : trips.toInt();
  if (count < 1 || !value_of(loop.inputs()[1]).concrete[0].toBool()) return;
  const auto leave_round = [&] {
    for (size_t k = 0; k < carried.size(); ++k) carried[k].concrete = value_of(body.outputs()[k + 1]).concrete;
  };
  leave_round();
  for (int64_t i = 1; evaluations_ == 1 && i < count && value_of(body.outputs()[0]).concrete[0].toBool(); ++i) {
    round.concrete[0] = i;
    const OnnxBuilder::Mark mark = builder_.mark();
    enter_round(loop, round, carried);
    walk_into(body, loop);
    builder_.take_back(mark);
    leave_round();
  }
}

}  // namespace linnet::exporter
