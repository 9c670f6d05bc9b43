#pragma once

#include <span>
#include <string>
#include <vector>

#include "linnet/model.h"
#include "plan/growth.h"
#include "run/growing_run.h"

namespace linnet {

/// The states of a context: values that outputs of a run leave for inputs of the next one.
class ContextStates {
 public:
  /// Of a model, which outlives them.
  ContextStates(const std::vector<ValueInfo>& inputs, const std::vector<ValueInfo>& outputs)
      : inputs_(&inputs), outputs_(&outputs) {
    rooms_.tensors.resize(inputs.size());
  }

  bool empty() const { return states_.empty(); }
  bool has(size_t input) const;
  /// graph: that of the model.
  void bind(const Graph& graph, const std::string& output, const std::string& input, const Tensor& initial,
            int64_t capacity);
  const Tensor& value(const std::string& input);
  void set_value(const std::string& input, const Tensor& value);
  void truncate(int64_t length);
  void reset();
  size_t bytes() const;
  /// Sample i of each state, along an axis, becomes the one that was samples[i]. Throws Error(kShape) unless each state
  /// has as many samples.
  void take_samples(int axis, std::span<const int64_t> samples, const RunEnvironment& environment);
  /// Gives up memory that is shared with the context that they were copied from.
  void separate();

  /// Throw Error(kModel) where a run is given a state, or memory for one.
  void check_left_out(std::span<const Tensor> inputs) const;
  void check_given(std::span<const Tensor> given) const;
  /// Puts the values into the inputs of a run.
  void give(std::vector<Tensor>& inputs);
  /// The same without contents: shapes.
  void give_shapes(std::vector<Tensor>& inputs) const;
  /// Takes over the outputs that are states; what stands in their place is empty. Throws Error(kShape), and takes none,
  /// where one does not fit its input.
  void take(std::vector<Tensor>& outputs);

  /// Those that grow, as values of the graph of the model.
  std::vector<GrowingState> growing(const Graph& graph) const;
  /// Whether those are these values of the graph.
  bool are(const std::vector<GrowingState>& states, const Graph& graph) const;
  /// For runs in place of those that grow, which come with the count that each belongs to.
  /// The capacities, by count, of memory for the rows that a run adds to each count.
  const std::vector<int64_t>& capacities(std::span<const size_t> counts, std::span<const int64_t> added);
  /// The states in memory of these capacities, with zeros behind the rows in use.
  const StateRooms& rooms(std::span<const size_t> counts, std::span<const int64_t> added,
                          const RunEnvironment& environment);
  /// As take(), behind a run whose states were in rooms.
  void take_rows(std::vector<Tensor>& outputs, std::span<const size_t> counts, std::span<const int64_t> added);

 private:
  struct State {
    size_t output, input;
    Tensor initial;
    int axis = -1;                  // that it grows along, as far as is known; -1: none
    bool is_certain = false;        // whatever runs show
    Tensor value{};                 // of one in a room: empty until somebody asks for it
    int64_t rows = 0, written = 0;  // of one in a room: in use; all others from `written` on are zeros
  };

  State& find(const std::string& input);
  /// A value of another rank has not grown along any axis.
  void assign(State& state, Tensor value);
  bool in_room(const State& state) const { return bool(room(state)); }
  const Tensor& room(const State& state) const { return rooms_.tensors[state.input]; }
  Tensor& room(const State& state) { return rooms_.tensors[state.input]; }
  /// The value, in memory of the room where it has one.
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
