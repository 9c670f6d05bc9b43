#include "run/context_states.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "plan/program.h"
#include "run/model_state.h"
#include "tensor/bool_bytes.h"

namespace linnet {
namespace {

size_t index_of(const std::vector<ValueInfo>& infos, const std::string& name, const char* what) {
  const auto found = std::find_if(infos.begin(), infos.end(), [&](const ValueInfo& info) { return info.name == name; });
  if (found != infos.end()) return size_t(found - infos.begin());
  throw Error(ErrorKind::kModel, str("there is no ", what, " '", name, "'; they are ", quoted_names(infos)));
}

bool is_bindable(DType dtype) { return !is_object(dtype) && dtype_bits(dtype) >= 8; }

/// An output may have more rows than the input, but not where both numbers are in the file.
void check_pair(const ValueInfo& output, const ValueInfo& input) {
  if (!is_bindable(input.fact.dtype)) {
    throw Error(ErrorKind::kUnsupported, str("input '", input.name, "' cannot be a state: it is ", input.fact));
  }
  const bool same_type = output.fact.dtype == input.fact.dtype;
  if (same_type && compatible(input.fact, output.fact)) return;
  throw Error(same_type ? ErrorKind::kShape : ErrorKind::kType,
              str("output '", output.name, "' is ", output.fact, ", input '", input.name, "' must be ", input.fact));
}

/// The only axis along which `after` is longer; -1: there is none, or there are others.
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

/// The only axis along which `after` is not certainly as long; -1: there is none, there are others, or it is the batch.
int open_axis(const Fact& before, const Fact& after) {
  if (!before.has_rank() || !after.has_rank() || before.rank() != after.rank()) return -1;
  int axis = -1;
  for (int d = 0; d < before.rank(); ++d) {
    if (certainly_equal(before.dim(d), after.dim(d))) continue;
    if (d == 0 || axis >= 0 || before.dim(d).known()) return -1;
    axis = d;
  }
  return axis;
}

Shape with_rows(const Tensor& x, int axis, int64_t rows) {
  Shape shape = x.shape();
  shape[axis] = rows;
  return shape;
}

/// The first rows along an axis, of which the tensors may have more.
void copy_rows(const Tensor& from, int axis, int64_t rows, Tensor& to) {
  const auto prefixes = size_t(from.shape().elements(0, axis));
  if (prefixes == 0) return;
  const size_t bytes = dtype_bytes(from.dtype(), with_rows(from, axis, rows).elements()) / prefixes;
  for (size_t p = 0; p < prefixes; ++p) {
    std::memcpy(static_cast<std::byte*>(to.raw()) + p * (to.bytes() / prefixes),
                static_cast<const std::byte*>(from.raw()) + p * (from.bytes() / prefixes), bytes);
  }
}

Tensor first_rows(const Tensor& x, int axis, int64_t rows) {
  Tensor y(x.dtype(), with_rows(x, axis, rows));
  copy_rows(x, axis, rows, y);
  return y;
}

}  // namespace

void ContextStates::bind(const std::string& output, const std::string& input, const Tensor& initial, int64_t capacity) {
  State state{index_of(*outputs_, output, "output"), index_of(*inputs_, input, "input"), {}, {}};
  check_pair(output_of(state), input_of(state));
  check_input(input, input_of(state).fact, initial);
  for (const State& other : states_) {
    if (other.input == state.input) throw Error(ErrorKind::kModel, str("input '", input, "' is a state already"));
    if (other.output == state.output) throw Error(ErrorKind::kModel, str("output '", output, "' is a state already"));
  }
  state.value = state.initial = normalized_bools(initial).clone();
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
  const Tensor& room = rooms_.tensors[state.input];
  if (!room) return state.value;
  return Tensor::wrap(room.dtype(), with_rows(room, state.axis, rooms_.rows), const_cast<void*>(room.raw()));
}

const Tensor& ContextStates::dense(State& state) const {
  if (!state.value) state.value = first_rows(rooms_.tensors[state.input], state.axis, rooms_.rows);
  return state.value;
}

int ContextStates::axis_of(const State& state) const {
  if (state.axis >= 0) return state.axis;
  const Fact& after = output_of(state).fact;
  const int axis = open_axis(input_of(state).fact, after);
  // A run shows which of the dims that nobody determines grow.
  return axis >= 0 && state.has_run && !after.dim(axis).determined() ? -1 : axis;
}

void ContextStates::truncate(int64_t length) {
  if (length < 0) throw Error(ErrorKind::kShape, str("the length must not be negative, got ", length));
  bool any = false;
  for (const State& state : states_) {
    if (axis_of(state) < 0) continue;
    const int64_t rows = shape_of(state).dim(axis_of(state));
    if (length > rows) {
      throw Error(ErrorKind::kShape, str("the length must be in [0,", rows, "], that of state '", input_of(state).name,
                                         "', got ", length));
    }
    any = true;
  }
  if (!any) return;
  rooms_.rows = length;
  for (State& state : states_) {
    if (in_room(state)) {
      state.value = {};
    } else if (const int axis = axis_of(state); axis >= 0) {
      state.value = first_rows(state.value, axis, length);
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
  for (const State& state : states_) bytes += held(state.value) + held(rooms_.tensors[state.input]);
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
    if (axis >= 0) state.axis = axis;
    state.has_run = true;
  }
}

std::vector<GrowingState> ContextStates::growing(const Graph& graph) const {
  std::vector<GrowingState> growing;
  for (const State& state : states_) {
    const int axis = axis_of(state);
    if (axis >= 0) growing.push_back({graph.inputs()[state.input], state.output, axis});
  }
  return growing;
}

bool ContextStates::are(const std::vector<GrowingState>& states, const Graph& graph) const {
  auto next = states.begin();
  for (const State& state : states_) {
    const int axis = axis_of(state);
    if (axis < 0) continue;
    if (next == states.end() || next->input != graph.inputs()[state.input] || next->output != state.output ||
        next->axis != axis) {
      return false;
    }
    ++next;
  }
  return next == states.end();
}

const StateRooms& ContextStates::rooms(int64_t new_rows, const RunEnvironment& environment) {
  const bool inside = std::any_of(states_.begin(), states_.end(), [&](const State& state) { return in_room(state); });
  for (State& state : states_) {
    state.axis = axis_of(state);
    if (!inside && state.axis >= 0) rooms_.rows = state.value.dim(state.axis);
  }
  const int64_t needed = checked_add(rooms_.rows, new_rows);
  if (!inside || needed > rooms_.capacity) {
    enter_rooms(std::max(least_capacity_, int64_t(std::bit_ceil(uint64_t(needed)))), environment);
  }
  return rooms_;
}

void ContextStates::enter_rooms(int64_t capacity, const RunEnvironment& environment) {
  std::vector<Tensor> rooms(rooms_.tensors.size());
  size_t bytes = 0;
  for (const State& state : states_) {
    if (state.axis < 0) continue;
    const Tensor& from = in_room(state) ? rooms_.tensors[state.input] : state.value;
    const Shape shape = with_rows(from, state.axis, capacity);
    environment.check_memory(bytes += dtype_bytes(from.dtype(), shape.elements()));
    Tensor room = environment.allocate(from.dtype(), shape);
    std::memset(room.raw(), 0, room.bytes());
    copy_rows(from, state.axis, rooms_.rows, room);
    rooms[state.input] = std::move(room);
  }
  rooms_.tensors = std::move(rooms);
  rooms_.capacity = capacity;
  for (State& state : states_) {
    if (in_room(state)) state.value = {};
  }
}

void ContextStates::leave_rooms() {
  for (State& state : states_) {
    if (!in_room(state)) continue;
    dense(state);
    rooms_.tensors[state.input] = {};
  }
}

void ContextStates::take_rows(std::vector<Tensor>& outputs, int64_t new_rows) {
  rooms_.rows += new_rows;
  for (State& state : states_) {
    Tensor value = std::exchange(outputs[state.output], Tensor());
    if (!in_room(state)) {
      state.value = std::move(value);
      continue;
    }
    Tensor& room = rooms_.tensors[state.input];
    if (value.raw() != room.raw()) copy_elements(value, room);
    state.value = {};
  }
}

}  // namespace linnet
