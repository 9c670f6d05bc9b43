#include "linnet/model.h"

#include "run/model_graph.h"
#include "run/model_state.h"
#include "tensor/memory_errors.h"

namespace linnet {

Model make_model(Graph graph, const ModelOptions& options, GraphNotes notes) {
  return Model::State::model(std::make_shared<Model::State>(std::move(graph), options, std::move(notes)));
}

const Graph& model_graph(const Model& model) { return Model::State::of(model).program->graph(); }

Graph declared_graph(const Model& model) {
  const Program& program = *Model::State::of(model).program;
  Graph graph = program.graph();
  for (ValueId v = 0; v < graph.value_count(); ++v) graph.set_fact(v, program.names().declared(graph.fact(v)));
  for (size_t i = 0; i < graph.inputs().size(); ++i) {
    graph.set_fact(graph.inputs()[i], program.names().declared_input(i, graph.fact(graph.inputs()[i])));
  }
  return graph;
}

namespace {

void add_latest_plans(const Program& program, std::vector<std::shared_ptr<const Plan>>& plans) {
  const std::shared_ptr<const Plan> plan = program.latest_plan();
  if (!plan) return;
  plans.push_back(plan);
  for (const Plan::Rest& rest : plan->rests) add_latest_plans(*rest.program, plans);
}

}  // namespace

std::vector<std::shared_ptr<const Plan>> latest_plans(const Model& model) {
  std::vector<std::shared_ptr<const Plan>> plans;
  add_latest_plans(*Model::State::of(model).program, plans);
  return plans;
}

const std::vector<ValueInfo>& Model::inputs() const { return state_->inputs; }
const std::vector<ValueInfo>& Model::outputs() const { return state_->outputs; }
const ModelMetadata& Model::metadata() const { return state_->notes.metadata; }
const ModelOptions& Model::options() const { return state_->resources->options; }
const LoadReport& Model::load_report() const { return state_->report; }

Model Model::specialized(std::span<const Tensor> inputs) && {
  auto state = state_.use_count() == 1 ? std::move(state_) : std::make_shared<State>(*state_);
  with_memory_errors("prepare the model", [&] { state->specialize(inputs); });
  return Model(std::move(state));
}

Model Model::with_weights(const std::map<std::string, Tensor>& weights) const {
  return with_memory_errors("prepare the model",
                            [&] { return Model(std::make_shared<State>(state_->with_weights(weights))); });
}

}  // namespace linnet
