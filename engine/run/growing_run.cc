#include "run/growing_run.h"

#include <algorithm>

#include "environment/rows.h"

namespace linnet {

bool GrowingRun::prepare(const std::vector<int64_t>& capacities) {
  if (steps_ && steps_->capacities == capacities) return true;
  auto steps = program_->steps(capacities);
  if (!steps) return false;
  runner_.reset();
  inputs_.assign(steps->sources.size() + 1, Tensor());
  wide_.assign(inputs_.size(), Tensor());
  inputs_[0] = Tensor(DType::kInt64, Shape{std::ssize(capacities)});
  runner_.emplace(steps->program);
  steps_ = std::move(steps);
  return true;
}

std::span<const Tensor> GrowingRun::run(std::span<const Tensor> inputs, const StateRooms& rooms,
                                        RunEnvironment& environment, std::span<const Tensor> given) {
  std::ranges::copy(rooms.rows, inputs_[0].data<int64_t>());
  const Graph& graph = steps_->program->graph();
  for (size_t i = 1; i < inputs_.size(); ++i) {
    const auto [index, axis] = steps_->sources[i - 1];
    if (rooms.tensors[index]) {
      inputs_[i] = rooms.tensors[index];
    } else if (axis < 0) {
      inputs_[i] = inputs[index];
    } else {
      widen(inputs[index], axis, graph.fact(graph.inputs()[i]).dim(axis).value(), environment, wide_[i]);
      inputs_[i] = wide_[i];
    }
  }
  const std::span<const Tensor> outputs = runner_->run(inputs_, environment, given);
  std::fill(inputs_.begin() + 1, inputs_.end(), Tensor());
  check_written();
  return outputs;
}

void GrowingRun::check_written() const {
  const std::vector<Plan::State>& states = runner_->plan()->states;
  for (size_t i = 0; i < states.size(); ++i) {
    const int64_t wanted = program_->added()[program_->counts()[i]];
    if (states[i].rows < 0 || states[i].rows == wanted) continue;
    throw Error(ErrorKind::kInternal,
                str("the plan writes ", states[i].rows, " rows into a state that was to get ", wanted));
  }
}

void GrowingRun::widen(const Tensor& x, int axis, int64_t room, const RunEnvironment& environment, Tensor& wide) {
  const Shape shape = with_rows(x.shape(), axis, room);
  if (!wide || wide.shape() != shape) wide = environment.allocate(x.dtype(), shape);
  copy_rows(x, axis, x.dim(axis), wide);
  clear_rows(wide, axis, x.dim(axis), room);
}

}  // namespace linnet
