#include "run/stateful_run.h"

namespace linnet {

void StatefulRun::continue_from(const StatefulRun& other) {
  states_ = other.states_;
  states_.separate();
  if (other.growing_) growing_ = std::make_unique<GrowingRun>(other.growing_->program());
}

/// Whether states can grow in place with these inputs. Makes growing_ if needed.
bool StatefulRun::grows_in_place(std::span<const Tensor> inputs, const RunEnvironment& environment) {
  const bool fits =
      growing_ && states_.are(growing_->program()->states(), program_->graph()) && growing_->program()->takes(inputs);
  if (!fits) {
    const auto found = program_->growing(states_.growing(program_->graph()), inputs, &environment);
    if (!found || !found->takes(inputs)) return false;
    growing_ = std::make_unique<GrowingRun>(found);
  }
  return growing_->prepare(states_.capacities(growing_->program()->counts(), growing_->program()->added()));
}

void StatefulRun::run_in_place(std::span<const Tensor> inputs, RunEnvironment& environment,
                               std::span<const Tensor> given) {
  const GrowingProgram& program = *growing_->program();
  const StateRooms& rooms = states_.rooms(program.counts(), program.added(), environment);
  const std::span<const Tensor> outputs = growing_->run(inputs, rooms, environment, given);
  results_.assign(outputs.begin(), outputs.end());
  states_.take_rows(results_, program.counts(), program.added());
}

}  // namespace linnet
