#pragma once

#include <optional>

#include "infer/infer.h"
#include "linnet/op.h"
#include "rnn/gate_function.h"

namespace linnet {

/// The sizes of a recurrent node, and the positions of its values.
struct RecurrentSizes {
  int64_t steps, batch, input, hidden;
  int64_t directions;
  int64_t gates;
  bool batch_first;

  /// The number of values of all gates of one row.
  int64_t gate_values() const { return checked_mul(gates, hidden); }
  /// The row of X, of `input` values.
  int64_t x_row(int64_t step, int64_t b) const { return batch_first ? b * steps + step : step * batch + b; }
  /// The row of Y, of `hidden` values.
  int64_t y_row(int64_t step, int64_t direction, int64_t b) const {
    return batch_first ? (b * steps + step) * directions + direction : (step * directions + direction) * batch + b;
  }
  /// The row of initial_h, initial_c, Y_h and Y_c, of `hidden` values.
  int64_t state_row(int64_t direction, int64_t b) const {
    return batch_first ? b * directions + direction : direction * batch + b;
  }
};

/// The common part of LSTM, GRU and RNN.
/// X: [steps, batch, input].
/// W: [directions, gates * hidden, input].
/// R: [directions, gates * hidden, hidden].
/// B: [directions, 2 * gates * hidden].
/// sequence_lens: int32 [batch].
/// Initial and last states: [directions, batch, hidden].
/// Y: [steps, directions, batch, hidden], zero beyond a sequence's length.
/// With layout 1, the batch is the first dim of X, Y and the states. All floats have one dtype: float16, bfloat16 (both
/// computed in float32), float or double.
class RecurrentOp : public Op {
 public:
  /// The inputs by position. Only LSTM has the last two.
  enum Input { kX, kW, kR, kB, kSequenceLens, kInitialH, kInitialC, kPeepholes };

  /// states: the number of outputs after Y (1: Y_h, 2: also Y_c).
  RecurrentOp(const NodeSpec& node, int64_t gates, int states, const std::vector<std::string>& default_activations);

  std::vector<Fact> infer(std::span<const Fact> in) const override;
  /// Counts only the steps within the length of each sequence.
  int64_t multiply_adds(const NodeValues& values) const override;

 protected:
  RecurrentSizes sizes(const CompileInput& in) const;
  /// The activations in the order of the attribute.
  const std::vector<Activation>& activations() const { return activations_; }
  bool is_reverse(int64_t direction) const { return direction_ == "reverse" || direction == 1; }
  /// The bound of the magnitude of the activations' inputs; 0 means no bound.
  float clip() const { return clip_; }

 private:
  void check_inputs(std::span<const Fact> in) const;

  int64_t gates_;
  int states_;
  std::string direction_;
  int64_t directions_;
  bool batch_first_;
  float clip_;
  std::optional<int64_t> hidden_size_;
  std::vector<Activation> activations_;
  int num_outputs_;
};

}  // namespace linnet
