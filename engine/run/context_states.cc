#include "run/context_states.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "environment/rows.h"
#include "linnet/did_you_mean.h"
#include "plan/program.h"
#include "run/model_state.h"
#include "tensor/bool_bytes.h"

namespace linnet {
namespace {

size_t index_of(const std::vector<ValueInfo>& infos, const std::string& name, const char* what) {
  const auto found = std::find_if(infos.begin(), infos.end(), [&](const ValueInfo& info) { return info.name == name; });
  if (found != infos.end()) return size_t(found - infos.begin());
  throw Error(ErrorKind::kModel,
              str("there is no ", what, " '", name, "'; they are ", quoted_names(infos), did_you_mean(name, infos)));
}

bool is_bindable(DType dtype) { return !is_object(dtype) && dtype_bits(dtype) >= 8; }

/// Throws unless the output can be a state. It may have more rows than the input, but not if both numbers are in the
/// file.
void check_pair(const ValueInfo& output, const ValueInfo& input) {
  if (!is_bindable(input.fact.dtype)) {
    throw Error(ErrorKind::kUnsupported, str("input '", input.name, "' cannot be a state: it is ", input.fact));
  }
  const bool same_type = output.fact.dtype == input.fact.dtype;
  if (same_type && compatible(input.fact, output.fact)) return;
  throw Error(same_type ? ErrorKind::kShape : ErrorKind::kType,
              str("output '", output.name, "' is ", output.fact, ", input '", input.name, "' must be ", input.fact));
}

/// The only axis along which `after` is longer; -1 if there are no or several such axes.
int grown_axis(const Shape& before, const Shape& after) {
  int axis = -1;
  for (int d = 0; d < after.rank(); ++d) {
    if (before.rank() != after.rank() || after[d] < before[d]) return -1;
    if (after[d] == before[d]) continue;
    if (axis >= 0) return -1;
    axis = d;
  }
  return axis;
}

/// The only axis along which `after` may be longer than `before`; -1 if there are no or several such axes. The first
/// axis, usually that of the batch, counts only if it is certain to grow.
int open_axis(const Fact& before, const Fact& after) {
  if (!before.has_rank() || !after.has_rank() || before.rank() != after.rank()) return -1;
  int axis = -1;
  for (int d = 0; d < before.rank(); ++d) {
    if (certainly_equal(before.dim(d), after.dim(d))) continue;
    const bool may_grow = d > 0 || certainly_at_least(after.dim(d), before.dim(d));
    if (!may_grow || axis >= 0 || before.dim(d).known()) return -1;
    axis = d;
  }
  return axis;
}

Tensor first_rows(const Tensor& x, int axis, int64_t rows) {
  Tensor y(x.dtype(), with_rows(x.shape(), axis, rows));
  copy_rows(x, axis, rows, y);
  return y;
}

}  // namespace

void ContextStates::bind(const Graph& graph, const std::string& output, const std::string& input, const Tensor& initial,
                         int64_t capacity) {
  State state{index_of(*outputs_, output, "output"), index_of(*inputs_, input, "input"), {}};
  check_pair(output_of(state), input_of(state));
  check_input(input, input_of(state).fact, initial);
  for (const State& other : states_) {
    if (other.input == state.input) throw Error(ErrorKind::kModel, str("input '", input, "' is a state already"));
    if (other.output == state.output) throw Error(ErrorKind::kModel, str("output '", output, "' is a state already"));
  }
  state.value = state.initial = normalized_bools(initial).clone();
  const Fact& after = graph.fact(graph.outputs()[state.output].value);
  state.axis = open_axis(graph.fact(graph.inputs()[state.input]), after);
  state.is_certain = state.axis >= 0 && after.dim(state.axis).determined();
  least_capacity_ = std::max(least_capacity_, capacity);
  states_.push_back(std::move(state));
}

bool ContextStates::has(size_t input) const {
  return std::any_of(states_.begin(), states_.end(), [&](const State& state) { return state.input == input; });
}

ContextStates::State& ContextStates::find(const std::string& input) {
  const auto found =
      std::find_if(states_.begin(), states_.end(), [&](const State& s) { return input_of(s).name == input; });
  if (found == states_.end()) throw Error(ErrorKind::kModel, str("no state is bound to an input '", input, "'"));
  return *found;
}

const Tensor& ContextStates::value(const std::string& input) { return dense(find(input)); }

void ContextStates::set_value(const std::string& input, const Tensor& value) {
  State& state = find(input);
  check_input(input, input_of(state).fact, value);
  Tensor copy = normalized_bools(value).clone();
  leave_rooms();
  assign(state, std::move(copy));
}

void ContextStates::assign(State& state, Tensor value) {
  if (shape_of(state).rank() != value.rank()) state.axis = -1;
  state.value = std::move(value);
}

Tensor ContextStates::shape_of(const State& state) const {
  if (!in_room(state)) return state.value;
  const Tensor& memory = room(state);
  return Tensor::wrap(memory.dtype(), with_rows(memory.shape(), state.axis, state.rows),
                      const_cast<void*>(memory.raw()));
}

const Tensor& ContextStates::dense(State& state) const {
  if (!state.value) state.value = first_rows(room(state), state.axis, state.rows);
  return state.value;
}

void ContextStates::truncate(int64_t length) {
  if (length < 0) throw Error(ErrorKind::kShape, str("the length must not be negative, got ", length));
  for (const State& state : states_) {
    if (state.axis < 0 || length <= rows_of(state)) continue;
    throw Error(ErrorKind::kShape, str("the length must be in [0,", rows_of(state), "], that of state '",
                                       input_of(state).name, "', got ", length));
  }
  for (State& state : states_) {
    if (in_room(state)) {
      state.rows = length;
      state.value = {};
    } else if (state.axis >= 0) {
      state.value = first_rows(state.value, state.axis, length);
    }
  }
}

void ContextStates::reset() {
  for (State& state : states_) assign(state, state.initial);
  std::fill(rooms_.tensors.begin(), rooms_.tensors.end(), Tensor());
}

size_t ContextStates::bytes() const {
  const auto held = [](const Tensor& tensor) { return tensor ? tensor.bytes() : 0; };
  size_t bytes = 0;
  for (const State& state : states_) bytes += held(state.value) + held(room(state));
  return bytes;
}

void ContextStates::separate() {
  for (Tensor& room : rooms_.tensors) room = room ? room.clone() : Tensor();
}

void ContextStates::check_left_out(std::span<const Tensor> inputs) const {
  for (const State& state : states_) {
    if (state.input >= inputs.size() || !inputs[state.input]) continue;
    throw Error(ErrorKind::kModel, str("input '", input_of(state).name, "' is a state: give an empty Tensor"));
  }
}

void ContextStates::check_given(std::span<const Tensor> given) const {
  for (const State& state : states_) {
    if (state.output >= given.size() || !given[state.output]) continue;
    throw Error(ErrorKind::kModel, str("output '", output_of(state).name, "' is a state: no memory is needed for it"));
  }
}

void ContextStates::give(std::vector<Tensor>& inputs) {
  leave_rooms();
  give_shapes(inputs);
}

void ContextStates::give_shapes(std::vector<Tensor>& inputs) const {
  for (const State& state : states_) inputs[state.input] = shape_of(state);
}

void ContextStates::take(std::vector<Tensor>& outputs) {
  for (const State& state : states_) {
    const Tensor& value = outputs[state.output];
    if (fits(input_of(state).fact, value)) continue;
    throw Error(ErrorKind::kShape, str("output '", output_of(state).name, "' is ", describe(value), ", but its input '",
                                       input_of(state).name, "' must be ", input_of(state).fact));
  }
  for (State& state : states_) {
    Tensor value = std::exchange(outputs[state.output], Tensor());
    const int axis = grown_axis(state.value.shape(), value.shape());
    assign(state, std::move(value));
    if (axis >= 0 || !state.is_certain) state.axis = axis;
    state.is_certain = state.is_certain || axis >= 0;
  }
}

std::vector<GrowingState> ContextStates::growing(const Graph& graph) const {
  std::vector<GrowingState> growing;
  for (const State& state : states_) {
    if (state.axis >= 0) growing.push_back({graph.inputs()[state.input], state.output, state.axis});
  }
  return growing;
}

bool ContextStates::are(const std::vector<GrowingState>& states, const Graph& graph) const {
  auto next = states.begin();
  for (const State& state : states_) {
    if (state.axis < 0) continue;
    if (next == states.end() || next->input != graph.inputs()[state.input] || next->output != state.output ||
        next->axis != state.axis) {
      return false;
    }
    ++next;
  }
  return next == states.end();
}

const std::vector<int64_t>& ContextStates::capacities(std::span<const size_t> counts, std::span<const int64_t> added) {
  rooms_.capacities.assign(added.size(), least_capacity_);
  auto count = counts.begin();
  for (const State& state : states_) {
    if (state.axis < 0) continue;
    const int64_t needed = checked_add(rows_of(state), added[*count]);
    const int64_t had = in_room(state) ? room(state).dim(state.axis) : 0;
    int64_t& capacity = rooms_.capacities[*count++];
    capacity = std::max({capacity, had, int64_t(std::bit_ceil(uint64_t(needed)))});
  }
  return rooms_.capacities;
}

const StateRooms& ContextStates::rooms(std::span<const size_t> counts, std::span<const int64_t> added,
                                       const RunEnvironment& environment) {
  rooms_.rows.assign(added.size(), 0);
  size_t bytes = 0, next = 0;
  for (State& state : states_) {
    if (state.axis < 0) continue;
    const size_t count = counts[next++];
    rooms_.rows[count] = rows_of(state);
    if (!in_room(state) || room(state).dim(state.axis) != rooms_.capacities[count]) {
      enter_room(state, rooms_.capacities[count], environment);
    }
    environment.check_memory(bytes += room(state).bytes());
    clear_rows(room(state), state.axis, state.rows, state.written);
    state.written = state.rows + added[count];  // even by a run that fails
  }
  return rooms_;
}

void ContextStates::enter_room(State& state, int64_t capacity, const RunEnvironment& environment) {
  const Tensor from = in_room(state) ? room(state) : state.value;
  const int64_t rows = rows_of(state);
  const Shape shape = with_rows(from.shape(), state.axis, capacity);
  environment.check_memory(dtype_bytes(from.dtype(), shape.elements()));
  Tensor memory = environment.allocate(from.dtype(), shape);
  copy_rows(from, state.axis, rows, memory);
  clear_rows(memory, state.axis, rows, capacity);
  room(state) = std::move(memory);
  state.rows = state.written = rows;
  state.value = {};
}

void ContextStates::take_samples(int axis, std::span<const int64_t> samples, const RunEnvironment& environment) {
  const int64_t count = std::ssize(samples);
  const auto is_sample = [&](int64_t sample) { return sample >= 0 && sample < count; };
  for (const State& state : states_) {
    const Tensor value = shape_of(state);
    if (value.rank() > axis && value.dim(axis) == count && std::ranges::all_of(samples, is_sample)) continue;
    throw Error(ErrorKind::kShape, str("state '", input_of(state).name, "' must have the ", count,
                                       " samples that are asked for in dim ", axis, ", is ", describe(value)));
  }
  if (std::ranges::is_sorted(samples) && std::ranges::adjacent_find(samples) == samples.end()) return;  // unchanged
  for (State& state : states_) {
    const bool stays = in_room(state) && axis < state.axis;
    const Tensor from = stays ? room(state) : dense(state);
    Shape shape = from.shape();
    shape[axis] = std::ssize(samples);
    Tensor to = environment.allocate(from.dtype(), shape);
    copy_samples(from, axis, samples, stays ? state.axis : axis, stays ? state.rows : shape[axis], to);
    if (stays) clear_rows(to, state.axis, state.rows, shape[state.axis]);
    state.written = state.rows;
    state.value = stays ? Tensor() : to;
    room(state) = stays ? to : Tensor();
  }
}

void ContextStates::leave_rooms() {
  for (State& state : states_) {
    if (!in_room(state)) continue;
    dense(state);
    room(state) = {};
  }
}

void ContextStates::take_rows(std::vector<Tensor>& outputs, std::span<const size_t> counts,
                              std::span<const int64_t> added) {
  size_t next = 0;
  for (State& state : states_) {
    Tensor value = std::exchange(outputs[state.output], Tensor());
    if (!in_room(state)) {
      assign(state, std::move(value));
      continue;
    }
    if (value.raw() != room(state).raw()) copy_elements(value, room(state));
    state.rows += added[counts[next++]];
    state.value = {};
  }
}

}  // namespace linnet
