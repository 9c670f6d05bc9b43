#include <ATen/ATen.h>

#include <algorithm>

#include "exporter/pairs.h"
#include "tracer.h"

// The rounds of a loop that the model's inputs decide. Each round of an example is an evaluation of the loop's body,
// along with those of other rounds and examples, so what differs between rounds is dynamic.
namespace linnet::exporter::torchscript {
namespace {

/// The number of rounds of an example that the body is written for, besides the last one.
constexpr int64_t kRounds = 3;
/// ONNX Runtime requires the shapes of these two.
const std::vector<OnnxDim> kScalar{};

int64_t integer_of(const c10::IValue& number) {
  return number.isTensor() ? number.toTensor().item<int64_t>() : number.toInt();
}

Value choose(const Value& value, const std::vector<size_t>& evaluations) {
  if (value.is_container()) {
    std::vector<Value> elements;
    for (const Value& element : value.container->elements) elements.push_back(choose(element, evaluations));
    return make_container(std::move(elements), value.container->keys);
  }
  Value result = value;
  result.concrete.clear();
  for (const size_t e : evaluations) result.concrete.push_back(value.concrete[e]);
  return result;
}

/// Returns all values in some of the evaluations.
template <class Values>
Values chosen(const Values& values, const std::vector<size_t>& evaluations) {
  Values result;
  for (const auto& [key, value] : values) result.emplace(key, choose(value, evaluations));
  return result;
}

}  // namespace

/// Evaluates one round and keeps only the evaluated values. `round` becomes the next round. Returns whether the loop
/// continues.
bool Tracer::evaluate_round(const Node& loop, Round& round, bool is_try) {
  const Block& body = *loop.blocks()[0];
  std::vector<Value> carried = carried_into(loop);
  for (size_t k = 0; k < carried.size(); ++k) carried[k] = {{round.carried[k]}, builder_.unique("carried"), nullptr};
  const Value number{{round.number}, builder_.unique("round"), nullptr};
  enter_round(loop, number, carried);
  try {
    walk_into(body, loop);
  } catch (const ExportError& error) {
    if (is_try) throw RefusedTry(round.evaluation, error.what());
    throw;
  }
  ++round.number;
  for (size_t k = 0; k < carried.size(); ++k) {
    if (value_of(body.outputs()[k + 1]).is_container()) Site(loop).refuse("it carries a list");
    round.carried[k] = value_of(body.outputs()[k + 1]).concrete[0];
  }
  return is_true(value_of(body.outputs()[0]).concrete[0]);
}

/// Returns the rounds of all examples. They are followed by further rounds that no example runs, but might. `carried`
/// contains the values that enter the loop, and receives those that leave it.
Tracer::Rounds Tracer::evaluate_rounds(const Node& loop, std::vector<Value>& carried) {
  const Value trips = value_of(loop.inputs()[0]), condition = value_of(loop.inputs()[1]);
  const Setting setting = enter_setting();
  std::vector<Round> rounds, further;
  for (size_t e = 0; e < setting.evaluations; ++e) {
    const OnnxBuilder::Mark mark = builder_.mark();
    values_ = chosen(setting.values, {e});
    evaluations_ = firm_ = 1;
    one_example_ = true;
    Round round{e, 0, {}};
    for (const Value& value : carried) round.carried.push_back(value.concrete[e]);
    for (bool more = is_true(condition.concrete[e]); more && round.number < integer_of(trips.concrete[e]);) {
      if (round.number < kRounds) rounds.push_back(round);
      more = evaluate_round(loop, round, e >= setting.firm);
    }
    further.push_back(round);
    for (size_t k = 0; k < carried.size(); ++k) carried[k].concrete[e] = round.carried[k];
    builder_.take_back(mark);
  }
  leave_setting(setting);
  const size_t gone_through = std::max<size_t>(rounds.size(), 1);
  rounds.insert(rounds.end(), further.begin(), further.end());
  return {rounds, gone_through};
}

/// Returns the body as a graph. Further rounds that PyTorch refuses are left out.
OnnxGraph Tracer::write_rounds(const Node& loop, Rounds rounds, std::vector<Value>& last) {
  const Setting setting = enter_setting();
  for (;;) {
    const OnnxBuilder::Mark mark = builder_.mark();
    std::vector<size_t> evaluations;
    for (const Round& round : rounds.all) evaluations.push_back(round.evaluation);
    values_ = chosen(setting.values, evaluations);
    evaluations_ = rounds.all.size();
    firm_ = rounds.gone_through;
    try {
      OnnxGraph body = write_round(loop, rounds, last);
      leave_setting(setting);
      return body;
    } catch (const RefusedTry& refused) {
      rounds.all.erase(rounds.all.begin() + std::ptrdiff_t(refused.evaluation()));
      builder_.take_back(mark);
      leave_setting(setting);
    }
  }
}

OnnxGraph Tracer::write_round(const Node& loop, const Rounds& rounds, std::vector<Value>& last) {
  std::vector<Value> entering;
  Value number{{}, builder_.unique("round"), nullptr};
  std::vector<OnnxValue> inputs{{number.name, DType::kInt64, kScalar},
                                {builder_.unique("condition"), DType::kBool, kScalar}};
  for (const Round& round : rounds.all) number.concrete.emplace_back(round.number);
  for (size_t k = 0; k < last.size(); ++k) {
    entering.push_back({{}, builder_.unique("carried"), nullptr, last[k].of_contents});
    for (const Round& round : rounds.all) entering[k].concrete.push_back(round.carried[k]);
    inputs.push_back({entering[k].name, exporter::stored_dtype(dtype_of(entering[k].concrete[0])), {}});
  }
  enter_round(loop, number, entering);
  Body body = write_body(*loop.blocks()[0], loop);
  body.graph.inputs = inputs;
  for (size_t k = 0; k < last.size(); ++k) follow_carried(loop, entering[k], body.results[k + 1], last[k]);
  return body.graph;
}

/// A size that changes in a round is dynamic, both in the body and after the loop.
void Tracer::follow_carried(const Node& loop, const Value& entering, const Value& leaving, Value& last) const {
  if (leaving.is_container() || leaving.is_none()) Site(loop).refuse("it carries a list or None");
  if (dtype_of(leaving.concrete[0]) != dtype_of(entering.concrete[0])) {
    Site(loop).refuse("a value that it carries changes its dtype");
  }
  if (!entering.is_tensor()) return;
  if (entering.tensor().dim() != leaving.tensor().dim() || !has_one_rank(entering)) {
    Site(loop).refuse("a value that it carries changes its rank");
  }
  for (int64_t axis = 0; axis < entering.tensor().dim(); ++axis) {
    if (sizes_along(entering, axis) == sizes_along(leaving, axis)) continue;
    last.of_contents = true;
    if (one_example_ || (size_differs(entering, axis) && size_differs(last, axis))) continue;
    refuse_equal_sizes(loop, "a size changes in its rounds");
  }
}

Tracer::Setting Tracer::enter_setting() const {
  return {values_, evaluations_, firm_, bodies_, one_example_, outside_};
}

void Tracer::leave_setting(const Setting& setting) {
  values_ = setting.values;
  evaluations_ = setting.evaluations;
  firm_ = setting.firm;
  bodies_ = setting.bodies;
  one_example_ = setting.one_example;
  outside_ = setting.outside;
}

}  // namespace linnet::exporter::torchscript
