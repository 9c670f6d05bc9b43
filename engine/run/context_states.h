#pragma once

#include <span>
#include <string>
#include <vector>

#include "linnet/model.h"
#include "plan/growth.h"
#include "run/growing_run.h"

namespace linnet {

/// The states of a context: values that outputs of one run pass to inputs of the next.
class ContextStates {
 public:
  /// inputs, outputs: those of the model, which must outlive this object.
  ContextStates(const std::vector<ValueInfo>& inputs, const std::vector<ValueInfo>& outputs)
      : inputs_(&inputs), outputs_(&outputs) {
    rooms_.tensors.resize(inputs.size());
  }

  bool empty() const { return states_.empty(); }
  bool has(size_t input) const;
  /// graph: that of the model. Throws what Context::bind_state() throws.
  void bind(const Graph& graph, const std::string& output, const std::string& input, const Tensor& initial,
            int64_t capacity);
  const Tensor& value(const std::string& input);
  void set_value(const std::string& input, const Tensor& value);
  void truncate(int64_t length);
  void reset();
  size_t bytes() const;
  /// Replaces sample i of each state, along an axis, by the previous sample samples[i]. Throws Error(kShape) unless
  /// each state has as many samples.
  void take_samples(int axis, std::span<const int64_t> samples, const RunEnvironment& environment);
  /// Copies memory that is shared with the context from which this one was copied.
  void separate();

  /// Throw Error(kModel) if a run is given a value for a state, or memory for one.
  void check_left_out(std::span<const Tensor> inputs) const;
  void check_given(std::span<const Tensor> given) const;
  /// Puts the states into the inputs of a run.
  void give(std::vector<Tensor>& inputs);
  /// The same with shapes only: their contents are not valid.
  void give_shapes(std::vector<Tensor>& inputs) const;
  /// Takes the outputs that are states and leaves empty tensors in their places. Throws Error(kShape), and takes none,
  /// if one does not fit its input.
  void take(std::vector<Tensor>& outputs);

  /// The states that grow, as values of the model's graph.
  std::vector<GrowingState> growing(const Graph& graph) const;
  /// Whether the states that grow are these values of the graph.
  bool are(const std::vector<GrowingState>& states, const Graph& graph) const;
  /// For runs in which states grow in place. `counts` contains, for each of these states, the count that it belongs to;
  /// `added` contains the rows that a run adds to each count.
  /// Returns the memory capacities that such a run needs, by count.
  const std::vector<int64_t>& capacities(std::span<const size_t> counts, std::span<const int64_t> added);
  /// The states in memory of these capacities, with zeros after the rows in use.
  const StateRooms& rooms(std::span<const size_t> counts, std::span<const int64_t> added,
                          const RunEnvironment& environment);
  /// Like take(), after a run whose states were in rooms.
  void take_rows(std::vector<Tensor>& outputs, std::span<const size_t> counts, std::span<const int64_t> added);

 private:
  struct State {
    size_t output, input;
    Tensor initial;
    int axis = -1;                  // the axis that it grows along, as far as is known; -1: none
    bool is_certain = false;        // whether the axis is certain whatever runs show
    Tensor value{};                 // for a state in a room: empty until it is requested
    int64_t rows = 0, written = 0;  // for a state in a room: rows in use; all from `written` on are zeros
  };

  State& find(const std::string& input);
  /// Sets the value. One of another rank has not grown along any axis.
  void assign(State& state, Tensor value);
  bool in_room(const State& state) const { return bool(room(state)); }
  const Tensor& room(const State& state) const { return rooms_.tensors[state.input]; }
  Tensor& room(const State& state) { return rooms_.tensors[state.input]; }
  /// The value; if it has a room, a tensor over the room's memory.
  Tensor shape_of(const State& state) const;
  int64_t rows_of(const State& state) const { return in_room(state) ? state.rows : state.value.dim(state.axis); }
  const Tensor& dense(State& state) const;
  void leave_rooms();
  void enter_room(State& state, int64_t capacity, const RunEnvironment& environment);
  const ValueInfo& input_of(const State& state) const { return (*inputs_)[state.input]; }
  const ValueInfo& output_of(const State& state) const { return (*outputs_)[state.output]; }

  const std::vector<ValueInfo>* inputs_;
  const std::vector<ValueInfo>* outputs_;
  std::vector<State> states_;
  StateRooms rooms_;
  int64_t least_capacity_ = 64;
};

}  // namespace linnet
