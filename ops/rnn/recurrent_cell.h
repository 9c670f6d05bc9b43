#pragma once

#include <cstdint>
#include <vector>

#include "rnn/gate_function.h"
#include "rnn/recurrent_op.h"

namespace linnet {

/// The structure of a cell that a recurrent kernel needs to know.
struct RecurrentForm {
  /// The products of the hidden state with R in a step, each as its number of consecutive gates.
  std::vector<int64_t> parts;
  /// Whether the recurrent bias of the last gate is separate from the input's.
  bool separate_last_bias = false;
  bool has_cell_state = false;
};

/// The numbers of values in the matrices of a track. Throws Error(kLimit) if one overflows.
struct TrackValues {
  int64_t x_gates, gates, state;

  explicit TrackValues(const RecurrentSizes& s)
      : x_gates(checked_mul(checked_mul(s.steps, s.batch), s.gate_values())),
        gates(checked_mul(s.batch, s.gate_values())),
        state(checked_mul(s.batch, s.hidden)) {}

  /// The total, including h, c and extra.
  int64_t total() const { return checked_add(checked_add(x_gates, gates), checked_mul(3, state)); }
};

/// The working memory of one direction, all matrices row-major.
template <class C>
struct Track {
  C* x_gates = nullptr;  ///< [steps * batch, gates * hidden]: X W^T plus the biases, in the order of X's rows.
  C* gates = nullptr;    ///< [batch, gates * hidden]: the products with R.
  C* h = nullptr;        ///< [batch, hidden]
  C* c = nullptr;        ///< [batch, hidden], if the form has a cell state.
  C* extra = nullptr;    ///< [batch, hidden], for use by the cell; initially 0.
  const C* w = nullptr;
  const C* r = nullptr;
  const C* bias = nullptr;       ///< [gates * hidden]
  const C* last_bias = nullptr;  ///< [hidden]: the recurrent bias of the last gate if it is separate.
  const C* peepholes = nullptr;  ///< [3 * hidden] or null
};

/// The time of each sequence of a batch in one step.
struct StepTimes {
  const int32_t* lengths;  ///< Null if all have the length `steps`.
  int64_t steps;
  int64_t step;
  bool reverse;

  /// Returns the time of sequence b, or -1 if it has ended.
  int64_t operator()(int64_t b) const {
    const int64_t length = lengths ? lengths[b] : steps;
    if (step >= length) return -1;
    return reverse ? length - 1 - step : step;
  }
};

template <class C>
void add_to(C* y, const C* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] += x[i];
}

/// Clamps n values to [-limit, limit] if `limit` is positive.
template <class C>
void bound(C* x, int64_t n, C limit) {
  if (!(limit > 0)) return;
  for (int64_t i = 0; i < n; ++i) x[i] = x[i] > limit ? limit : x[i] < -limit ? -limit : x[i];
}

}  // namespace linnet
