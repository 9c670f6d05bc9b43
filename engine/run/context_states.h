#pragma once

#include <span>
#include <string>
#include <vector>

#include "graph/rewrite.h"
#include "linnet/model.h"
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
  void bind(const std::string& output, const std::string& input, const Tensor& initial, int64_t capacity);
  const Tensor& value(const std::string& input);
  void set_value(const std::string& input, const Tensor& value);
  void truncate(int64_t length);
  void reset();
  size_t bytes() const;
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

  /// Those that grow, as far as is known, as values of that graph.
  std::vector<GrowingState> growing(const Graph& graph) const;
  /// Whether those are these values of the graph.
  bool are(const std::vector<GrowingState>& states, const Graph& graph) const;
  /// Those in memory for `new_rows` more at the least.
  const StateRooms& rooms(int64_t new_rows, const RunEnvironment& environment);
  /// As take(), behind a run whose states were in rooms.
  void take_rows(std::vector<Tensor>& outputs, int64_t new_rows);

 private:
  struct State {
    size_t output, input;
    Tensor initial;
    Tensor value{};  // of one in a room: empty until somebody asks for it
    int axis = -1;   // that it grew along; -1: it has not grown
    bool has_run = false;
  };

  State& find(const std::string& input);
  /// A value of another rank has not grown along any axis.
  void assign(State& state, Tensor value);
  /// The axis that it has grown along, or before its first run the only one that it can grow along; -1: none.
  int axis_of(const State& state) const;
  bool in_room(const State& state) const { return bool(rooms_.tensors[state.input]); }
  /// The value, in memory of the room where it has one.
  Tensor shape_of(const State& state) const;
  const Tensor& dense(State& state) const;
  void leave_rooms();
  void enter_rooms(int64_t capacity, const RunEnvironment& environment);
  const ValueInfo& input_of(const State& state) const { return (*inputs_)[state.input]; }
  const ValueInfo& output_of(const State& state) const { return (*outputs_)[state.output]; }

  const std::vector<ValueInfo>* inputs_;
  const std::vector<ValueInfo>* outputs_;
  std::vector<State> states_;
  StateRooms rooms_;
  int64_t least_capacity_ = 64;
};

}  // namespace linnet
